import type { JsonObject } from '@switchyard/values';
import type { Rehearsing } from './rehearsing.js';

/** Puts a format on the sandbox seller's list. */
export function seedFormat({ params, ask }: Rehearsing): Promise<JsonObject> {
  return ask('seed_creative_format', params);
}
