import { defined } from '@switchyard/values';
import { describe, expect, it } from '@jest/globals';
import type { CreatedPackage } from '@switchyard/protocol';
import fc from 'fast-check';
import { mapPackages } from './map-packages.js';
import type { BuyPackage } from '../model/operation.js';

const original = { form: '3.1', value: {} } as const;

function ours(position: number, more: Partial<BuyPackage> = {}): BuyPackage {
  return {
    id: `w${position}`,
    mediaBuyId: 'mb',
    legId: 'leg',
    position,
    seller: 'acme',
    productId: 'ctv',
    pricingOptionId: 'cpm',
    currency: 'USD',
    budgetMicros: 1_000_000_000n,
    ...more,
  };
}

const theirs = (packageId: string, more: Partial<CreatedPackage> = {}): CreatedPackage => ({
  packageId,
  original,
  ...more,
});

const pairs = (...args: Parameters<typeof mapPackages>): readonly string[] =>
  mapPackages(...args)
    .map(({ ordered, created, by }) => `${ordered.id}=${created.packageId} by ${by}`)
    .sort();

describe('a seller’s package is matched with ours', () => {
  it('by the buyer’s reference, in any place', () => {
    const wanted = [ours(0, { buyerRef: 'a' }), ours(1, { buyerRef: 'b' })];
    const created = [theirs('p', { buyerRef: 'b' }), theirs('q', { buyerRef: 'a' })];
    expect(pairs(wanted, created)).toEqual(['w0=q by buyer_ref', 'w1=p by buyer_ref']);
  });

  it('by the echoed context, with its members in any order', () => {
    const wanted = [ours(0, { context: { a: 1, b: 2 } }), ours(1, { context: { a: 2 } })];
    const created = [theirs('p', { context: { a: 2 } }), theirs('q', { context: { b: 2, a: 1 } })];
    expect(pairs(wanted, created)).toEqual(['w0=q by context', 'w1=p by context']);
  });

  it('by product, price and budget, if only one package has these', () => {
    const wanted = [ours(0), ours(1, { budgetMicros: 2_000_000_000n }), ours(2, { productId: 'olv' })];
    const created = [
      theirs('p', { productId: 'olv' }),
      theirs('q', { productId: 'ctv', pricingOptionId: 'cpm', budget: '2000' }),
      theirs('r', { productId: 'ctv', pricingOptionId: 'cpm', budget: '1e3' }),
    ];
    expect(pairs(wanted, created)).toEqual(['w0=r by terms', 'w1=q by terms', 'w2=p by terms']);
  });

  it('by its product, if only one package has it and the seller has rounded its budget', () => {
    const wanted = [ours(0), ours(1, { productId: 'olv' })];
    const created = [
      theirs('p', { productId: 'olv', budget: '999.99' }),
      theirs('q', { productId: 'ctv', budget: '1000.01' }),
    ];
    expect(pairs(wanted, created)).toEqual(['w0=q by product', 'w1=p by product']);
  });

  it('by its position, as a last resort and in our order', () => {
    const wanted = [ours(1), ours(0)];
    const created = [theirs('p', { productId: 'ctv' }), theirs('q', { productId: 'ctv' })];
    expect(pairs(wanted, created)).toEqual(['w0=p by order', 'w1=q by order']);
  });
});

describe('a rule applies only if it is unique on both sides', () => {
  it('so the next rule decides on a reference that two packages share', () => {
    const wanted = [
      ours(0, { buyerRef: 'a', context: { n: 0 } }),
      ours(1, { buyerRef: 'a', context: { n: 1 } }),
    ];
    const created = [
      theirs('p', { buyerRef: 'a', context: { n: 1 } }),
      theirs('q', { buyerRef: 'a', context: { n: 0 } }),
    ];
    expect(pairs(wanted, created)).toEqual(['w0=q by context', 'w1=p by context']);
  });

  it('so a missing echo is matched once the other packages are', () => {
    const wanted = [0, 1, 2].map((n) => ours(n, { context: { n } }));
    const created = [
      theirs('p', { context: { n: 2 } }),
      theirs('q', { productId: 'ctv' }),
      theirs('r', { context: { n: 0 } }),
    ];
    expect(pairs(wanted, created)).toEqual(['w0=r by context', 'w1=q by terms', 'w2=p by context']);
  });

  it('so a package that the seller did not make stays unmatched', () => {
    const wanted = [0, 1].map((n) => ours(n, { context: { n } }));
    expect(pairs(wanted, [theirs('p', { context: { n: 1 } })])).toEqual(['w1=p by context']);
  });

  it('and a budget that is no amount matches nothing and throws nothing', () => {
    const created = [theirs('p', { productId: 'ctv', budget: '1e400' })];
    expect(pairs([ours(0)], created)).toEqual(['w0=p by product']);
  });
});

describe('for any packages and any answer', () => {
  const context = fc.option(fc.record({ n: fc.nat(2) }), { nil: undefined });
  const ref = fc.option(fc.constantFrom('a', 'b'), { nil: undefined });
  const product = fc.constantFrom('ctv', 'olv');
  const terms = fc.record({ context, ref, product, budget: fc.nat(2) });

  it('no package is matched twice, and none is unmatched on both sides', () => {
    fc.assert(
      fc.property(fc.array(terms, { maxLength: 6 }), fc.array(terms, { maxLength: 6 }), (left, right) => {
        const wanted = left.map((one, at) =>
          ours(at, {
            productId: one.product,
            budgetMicros: BigInt(one.budget) * 1_000_000n,
            ...defined({ context: one.context, buyerRef: one.ref }),
          }),
        );
        const created = right.map((one, at) =>
          theirs(`p${at}`, {
            productId: one.product,
            budget: String(one.budget),
            ...defined({ context: one.context, buyerRef: one.ref }),
          }),
        );
        const matches = mapPackages(wanted, created);
        expect(matches).toHaveLength(Math.min(wanted.length, created.length));
        expect(new Set(matches.map((match) => match.ordered)).size).toBe(matches.length);
        expect(new Set(matches.map((match) => match.created)).size).toBe(matches.length);
      }),
    );
  });

  it('an answer in any order finds each package by its own echo', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5 }), (order) => {
        const wanted = [0, 1, 2, 3, 4].map((n) => ours(n, { context: { n } }));
        const created = order.map((n) => theirs(`p${n}`, { productId: 'ctv', context: { n } }));
        for (const match of mapPackages(wanted, created))
          expect(match.created.packageId).toBe(`p${match.ordered.position}`);
      }),
    );
  });
});
