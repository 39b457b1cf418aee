import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { isMeantFor } from './governance-context.js';

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const token = (payload: unknown): string => `${part({ alg: 'EdDSA' })}.${part(payload)}.c2ln`;
const seller = 'https://ads.seller.example/mcp';

describe('a governance context', () => {
  it.each([seller, 'https://ADS.seller.example:443/mcp/', [seller]])(
    'is for the seller in its aud: %j',
    (aud) => {
      expect(isMeantFor(token({ aud }), seller)).toBe(true);
    },
  );

  it.each([
    ['another seller', token({ aud: 'https://other.example/mcp' })],
    ['another agent of the same site', token({ aud: 'https://ads.seller.example/a2a' })],
    ['a prefix of the address', token({ aud: 'https://ads.seller.example/' })],
    ['several at once', token({ aud: [seller, 'https://other.example/mcp'] })],
    ['nobody', token({})],
    ['nobody, in a list', token({ aud: [] })],
    ['a list of lists', token({ aud: [[seller]] })],
    [
      'whom is said twice',
      `${part({})}.${Buffer.from(`{"aud":"${seller}","aud":"x"}`).toString('base64url')}.c2ln`,
    ],
    ['whom is not said in JSON', `${part({})}.bm90IGpzb24.c2ln`],
    ['whom is not said in a JWS', 'opaque'],
    ['whom is said without a signature', `${part({})}.${part({ aud: seller })}.`],
    ['whom is said in two parts', `${part({})}.${part({ aud: seller })}`],
    ['whom is said in four parts', `${token({ aud: seller })}.c2ln`],
  ])('is not forwarded when it is for %s', (_whom, text) => {
    expect(isMeantFor(text, seller)).toBe(false);
  });
});
