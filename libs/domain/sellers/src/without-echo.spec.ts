import { describe, expect, it } from '@jest/globals';
import { Secret } from '@switchyard/values';
import type { SellerTarget } from './transport.js';
import { withoutEcho } from './without-echo.js';

const credential = {
  kind: 'bearer',
  secret: new Secret(Buffer.from('the-token-of-this-seller')),
} as unknown as SellerTarget['credential'];
const clean = { code: 'BUDGET_TOO_LOW', message: 'More.', field: 'a', details: { minimum: 5 } };

describe('errors of a seller', () => {
  it('are shown whole where they hold no credential', () => {
    expect(withoutEcho([clean], credential)).toEqual([clean]);
    expect(withoutEcho([clean], undefined)).toEqual([clean]);
  });

  it.each([
    { message: 'Bearer the-token-of-this-seller' },
    { suggestion: 'use the-token-of-this-seller' },
    { field: 'the-token-of-this-seller' },
    { details: { deep: [{ at: 'xthe-token-of-this-sellerx' }] } },
    { code: 'the-token-of-this-seller' },
    { message: `Basic ${Buffer.from('the-token-of-this-seller').toString('base64')}` },
  ])('lose their words where one holds our credential: %o', (echo) => {
    const [shown, other] = withoutEcho([{ ...clean, retryAfter: 7, ...echo }, clean], credential);
    expect(JSON.stringify(shown)).not.toContain('the-token-of-this-seller');
    expect(shown).toMatchObject({ retryAfter: 7 });
    expect(other).toEqual(clean);
  });
});
