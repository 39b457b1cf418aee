import type { JsonObject, JsonValue } from '@switchyard/values';
import { isJsonObject } from '@switchyard/values';

/**
 * Targeting as it is stored and shown. A list may have a token for fetching it: the token is sent to the
 * seller with the request, and not stored.
 */
export function storedTargeting(targeting: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(targeting)
      .filter(([name]) => name !== 'auth_token')
      .map(([name, value]) => [name, storedValue(value)]),
  );
}

function storedValue(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(storedValue);
  return isJsonObject(value) ? storedTargeting(value) : value;
}
