import type { JSONWebKeySet, JWK } from 'jose';
import { isJsonObject, type JsonValue } from '@switchyard/values';

/** The public keys of a set. One that is a shared secret verifies nothing that others could not have made. */
export function readKeySet(value: JsonValue): JSONWebKeySet | undefined {
  const keys = isJsonObject(value) ? value['keys'] : undefined;
  if (!Array.isArray(keys)) return undefined;
  const usable = keys
    .filter(isJsonObject)
    .filter((key) => typeof key['kty'] === 'string' && key['kty'] !== 'oct');
  return usable.length === 0 ? undefined : { keys: usable as unknown as JWK[] };
}
