import { describe, expect, it } from '@jest/globals';
import { makeOperation } from '@switchyard/testing';
import { mapPackages } from '../terms/map-packages.js';
import type { BuyPackage } from '../model/operation.js';
import { adoptPackages, boughtByProposal } from './adopt-packages.js';

const draft = makeOperation({ organizationId: 'o' });
const leg = draft.legs[0]!;
const original = { form: '3.1', value: {} } as const;
const of = { leg, mediaBuyId: draft.buy.id, currency: 'USD', at: 7 };
const row = (position: number, productId: string): BuyPackage => ({
  id: `row-${position}`,
  mediaBuyId: draft.buy.id,
  legId: leg.id,
  position,
  seller: leg.seller,
  productId,
  pricingOptionId: 'guessed',
  currency: 'USD',
  budgetMicros: 500_000_000n,
});

describe('the packages of a proposal', () => {
  it('are those that their seller made: matched by product with any rounding, with its price and budget', () => {
    const own = [row(0, 'ctv'), row(1, 'olv')];
    const created = [
      { packageId: 'p2', productId: 'olv', pricingOptionId: 'cpm', budget: '500.01', original },
      { packageId: 'p1', productId: 'ctv', budget: '499.99', original },
    ];
    const { packages, findings } = adoptPackages(own, mapPackages(own, created), created, of);
    expect(
      packages.map((item) => [item.productId, item.sellerPackageId, item.pricingOptionId, item.budgetMicros]),
    ).toEqual([
      ['ctv', 'p1', 'guessed', 499_990_000n],
      ['olv', 'p2', 'cpm', 500_010_000n],
    ]);
    expect(findings).toEqual([]);
  });

  it('gain what the seller added, lose what it omitted, and report it', () => {
    const own = [row(0, 'ctv'), row(1, 'olv')];
    const one = [{ packageId: 'p1', productId: 'ctv', original }];
    const fewer = adoptPackages(own, mapPackages(own, one), one, of);
    expect(fewer.packages.map(({ canceledAt }) => canceledAt)).toEqual([undefined, 7]);
    const three = [
      ...one,
      ...['x', 'y'].map((id) => ({ packageId: id, productId: id, budget: '1', original })),
    ];
    const more = adoptPackages(own.slice(0, 1), mapPackages(own.slice(0, 1), three), three, of);
    expect(more.packages.map((item) => [item.position, item.productId, item.budgetMicros])).toEqual([
      [0, 'ctv', 500_000_000n],
      [1, 'x', 1_000_000n],
      [2, 'y', 1_000_000n],
    ]);
    for (const { findings } of [fewer, more])
      expect(findings.map(({ code }) => code)).toEqual(['PACKAGES_DIFFER_FROM_PROPOSAL']);
    // Folded in again the same rows come out.
    expect(adoptPackages(own.slice(0, 1), mapPackages(own.slice(0, 1), three), three, of)).toEqual(more);
  });

  it('of a sealed request are all new, without a finding', () => {
    const created = [{ packageId: 'p1', productId: 'ctv', budget: '5', original }];
    const sealed = { ...of, leg: { ...leg, sealed: true as const } };
    const { packages, findings } = adoptPackages([], [], created, sealed);
    expect(packages).toHaveLength(1);
    expect(findings).toEqual([]);
  });

  it('are made by the seller only if it got a proposal', () => {
    const sent = (args: object) => boughtByProposal({ id: 'l', outbound: JSON.stringify(args) });
    expect([sent({ proposal_id: 'p' }), sent({ packages: [] })]).toEqual([true, false]);
  });
});
