import type { JsonObject } from '@switchyard/values';
import type { TestControl } from './test-control.js';

/** Adds a format to the sandbox seller's list. */
export function seedFormat({ params, callTool }: TestControl): Promise<JsonObject> {
  return callTool('seed_creative_format', params);
}
