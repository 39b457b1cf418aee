import type { JsonObject } from '@switchyard/values';
import type { Rehearsing } from './rehearsing.js';

/** Puts a format on the practice seller's list. What we know of that list is asked for anew, so that syncs go there. */
export async function seedFormat({ params, parts, connection, ask }: Rehearsing): Promise<JsonObject> {
  const said = await ask('seed_creative_format', params);
  if (said['success'] === true) parts.formatShelf.forget(connection);
  return said;
}
