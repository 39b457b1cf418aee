import type { JsonObject } from '@switchyard/values';

/**
 * Returns true if the private key is public: the protocol's conformance keys, and those of our own vectors. Trusting
 * one outside tests means trusting everybody. A key is recognized by its numbers, whatever its name is, and by the
 * marks of test keys.
 */
export function isPublishedTestKey(jwk: JsonObject): boolean {
  const { kid, x, d } = jwk;
  if (d !== undefined || privateMark in jwk) return true;
  if (typeof x === 'string' && publishedNumbers.has(x)) return true;
  return typeof kid === 'string' && publishedNames.test(kid);
}

/** The member with the private key in published key sets. */
const privateMark = '_private_d_for_test_only';

const publishedNames = /^(?:test-[a-z0-9-]+-2026|switchyard-test-[a-z0-9-]+)$/;

/** The `x` of the protocol's request-signing conformance keys. */
const publishedNumbers: ReadonlySet<string> = new Set([
  'gWUqzATUcUco5Q8fZZXn8aWwb7DQbYGBiqUzLiSDDJo',
  'vGSQmjzPN1txgDY-oBb108gMsRETA9J5IPxqlBczQOY',
  'rkUcKP5oMd7YjV4yy5mVS5S8fA3LDXcf5jk1P1_52EA',
  'r8wqMpVCLKzLSRNBtNmI1g71pPzQcwkATJHcyHK1lXg',
]);
