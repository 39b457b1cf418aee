import type { JSONWebKeySet, JWK } from 'jose';
import { isJsonObject, type JsonValue } from '@switchyard/values';

/** The public keys of a set. Shared secrets are left out: everyone who verifies with one could have signed with it. */
export function readKeySet(value: JsonValue): JSONWebKeySet | undefined {
  const keys = isJsonObject(value) ? value['keys'] : undefined;
  if (!Array.isArray(keys)) return undefined;
  const usable = keys
    .filter(isJsonObject)
    .filter((key) => typeof key['kty'] === 'string' && key['kty'] !== 'oct');
  return usable.length === 0 ? undefined : { keys: usable as unknown as JWK[] };
}
