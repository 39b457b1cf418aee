import type { JsonObject } from '@switchyard/values';
import type { TestControl } from './test-control.js';

/** Adds a format to the sandbox seller's list. */
export function seedFormat({ params, ask }: TestControl): Promise<JsonObject> {
  return ask('seed_creative_format', params);
}
