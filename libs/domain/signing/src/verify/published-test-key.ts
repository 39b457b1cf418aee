import type { JsonObject } from '@switchyard/values';

/**
 * True for a key whose private half is public: the protocol's conformance keys, and our own vectors'. Whoever trusts
 * one outside of tests trusts everybody. Known by its numbers, whatever it is called, and by the marks that test keys
 * carry.
 */
export function isPublishedTestKey(jwk: JsonObject): boolean {
  const { kid, x, d } = jwk;
  if (d !== undefined || privateMark in jwk) return true;
  if (typeof x === 'string' && publishedNumbers.has(x)) return true;
  return typeof kid === 'string' && publishedNames.test(kid);
}

/** The member under which published key sets keep the private half. */
const privateMark = '_private_d_for_test_only';

const publishedNames = /^(?:test-[a-z0-9-]+-2026|switchyard-test-[a-z0-9-]+)$/;

/** The `x` of the protocol's request-signing conformance keys. */
const publishedNumbers: ReadonlySet<string> = new Set([
  'gWUqzATUcUco5Q8fZZXn8aWwb7DQbYGBiqUzLiSDDJo',
  'vGSQmjzPN1txgDY-oBb108gMsRETA9J5IPxqlBczQOY',
  'rkUcKP5oMd7YjV4yy5mVS5S8fA3LDXcf5jk1P1_52EA',
  'r8wqMpVCLKzLSRNBtNmI1g71pPzQcwkATJHcyHK1lXg',
]);
