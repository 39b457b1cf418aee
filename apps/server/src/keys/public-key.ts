import type { JsonObject } from '@switchyard/values';

/** Only public members, selected by name: other members of a stored key are never sent. */
export function publicKeyOf(jwk: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(jwk).filter(([name]) => publicMembers.includes(name)));
}

const publicMembers = [
  'kid',
  'kty',
  'crv',
  'alg',
  'use',
  'key_ops',
  'ads_use',
  'adcp_use',
  'x',
  'y',
  'switchyard',
];
