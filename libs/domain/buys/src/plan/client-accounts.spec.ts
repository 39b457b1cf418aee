import { describe, expect, it } from '@jest/globals';
import type { Account } from '@switchyard/protocol';
import { openBuyingHarness, type BuyingHarness } from '@switchyard/testing';
import type { AccountsAt } from './client-accounts.js';
import { createMediaBuy } from '../create/create-media-buy.js';

const account = (status: Account['status'], more: Partial<Account> = {}): Account => ({
  accountId: 'theirs',
  brandDomain: 'brand.example',
  brandId: '',
  operator: 'agency.example',
  status,
  billing: 'operator',
  isSandbox: false,
  ...more,
});

/** Buys at these sellers, at which our accounts stand so. */
async function buying(slugs: readonly string[], stands: Readonly<Record<string, readonly Account[]>>) {
  const harness = await openBuyingHarness({ acme: { isIdempotent: true }, bravo: { isIdempotent: true } });
  const requested: string[] = [];
  const accountsAt: AccountsAt = (connections) => {
    requested.push(...connections.map(({ slug }) => slug));
    return Promise.resolve(new Map(connections.map(({ id, slug }) => [id, stands[slug] ?? []])));
  };
  const made = await createMediaBuy({ ...harness.ports, accountsAt }, harness.request(slugs));
  return { harness, requested, made };
}

const received = (harness: BuyingHarness): number =>
  ['acme', 'bravo'].reduce((sum, slug) => sum + harness.seller(slug).received.length, 0);

describe('a buy over several sellers', () => {
  it.each([
    ['pending_approval', 'ACCOUNT_SETUP_REQUIRED'],
    ['payment_required', 'ACCOUNT_PAYMENT_REQUIRED'],
    ['suspended', 'ACCOUNT_SUSPENDED'],
    ['rejected', 'ACCOUNT_NOT_FOUND'],
    ['closed', 'ACCOUNT_NOT_FOUND'],
  ] as const)('is not made at any if our account at one of them is %s', async (status, code) => {
    const { harness, made } = await buying(['acme', 'bravo'], {
      acme: [account('active')],
      bravo: [account('active', { brandDomain: 'another.example' }), account(status)],
    });
    expect(made).toMatchObject({
      ok: false,
      error: [
        { code, field: 'packages[1].product_id', details: { seller: 'bravo', account_status: status } },
      ],
    });
    expect(received(harness)).toBe(0);
  });

  it('is made if accounts are active, belong to somebody else, or have an unknown status', async () => {
    const { made } = await buying(['acme', 'bravo'], { acme: [account('active')] });
    expect(made.ok).toBe(true);
    const others = [account('suspended', { operator: 'other.example' }), account('closed', { brandId: 'b' })];
    expect((await buying(['acme', 'bravo'], { acme: others, bravo: others })).made.ok).toBe(true);
  });

  it('is sent to a single seller, which refuses for itself', async () => {
    const { made, requested } = await buying(['acme'], { acme: [account('suspended')] });
    expect([made.ok, requested]).toEqual([true, []]);
  });
});
