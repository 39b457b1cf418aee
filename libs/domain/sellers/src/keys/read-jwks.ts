import { err, isJsonObject, ok, type JsonObject, type JsonValue, type Result } from '@switchyard/values';

const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/**
 * Returns the keys of a JWKS by kid. A kid that occurs twice is ambiguous, and a key published with its private half is
 * compromised: neither is in the map. Fails with `malformed` if the document is no JWKS.
 */
export function readJwks(document: JsonValue): Result<ReadonlyMap<string, JsonObject>, 'malformed'> {
  const list = isJsonObject(document) ? document['keys'] : undefined;
  if (!Array.isArray(list)) return err('malformed');
  const keys = new Map<string, JsonObject>();
  const seen = new Set<string>();
  for (const jwk of list) {
    const kid = isJsonObject(jwk) ? jwk['kid'] : undefined;
    if (!isJsonObject(jwk) || typeof kid !== 'string') continue;
    if (seen.has(kid) || privateMembers.some((member) => Object.hasOwn(jwk, member))) keys.delete(kid);
    else keys.set(kid, jwk);
    seen.add(kid);
  }
  return ok(keys);
}
