import type { JsonObject } from '@switchyard/values';
import { inOlderShape } from './release-3.2/sellers/older-answers.js';

const stoodFor = new Set(['get_products', 'create_media_buy', 'update_media_buy']);

/** The answer of a lifecycle task as one of the older task for which it was asked: also one that came later. */
export function inOlderTask(task: string, payload: JsonObject): JsonObject {
  return stoodFor.has(task) ? inOlderShape(payload) : payload;
}
