import type { JsonObject, JsonValue } from '@switchyard/values';
import { isJsonObject } from '@switchyard/values';

/**
 * What a package wants to reach, as it is kept and shown again. A list may come with a token for whoever fetches it:
 * that goes to the seller with the request, and stays nowhere else.
 */
export function storedTargeting(targeting: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(targeting)
      .filter(([name]) => name !== 'auth_token')
      .map(([name, value]) => [name, kept(value)]),
  );
}

function kept(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(kept);
  return isJsonObject(value) ? storedTargeting(value) : value;
}
