import { describe, expect, it } from '@jest/globals';
import type { CreateMediaBuyRequest, PackageRequest } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { must } from '@switchyard/values';
import type { Offer, OfferedPrice } from '../model/offer.js';
import { planBuy } from './plan-buy.js';

const now = Date.UTC(2026, 0, 15, 12);
const original = { form: '3.1', value: {} } as const;
const fixed: OfferedPrice = {
  pricingOptionId: 'cpm',
  model: 'cpm',
  currency: 'USD',
  auction: false,
  fixedPrice: '12.5',
  minSpendPerPackage: '100',
};
const auction: OfferedPrice = {
  pricingOptionId: 'bid',
  model: 'cpm',
  currency: 'USD',
  auction: true,
  floorPrice: '5',
};
const euros: OfferedPrice = { ...fixed, pricingOptionId: 'eur', currency: 'EUR' };
const yen: OfferedPrice = { ...fixed, pricingOptionId: 'yen', currency: 'JPY' };

const connections = new Map(
  ['acme', 'bravo', 'closed'].map((slug) => [
    slug,
    { id: `c-${slug}`, slug, state: slug === 'closed' ? 'failed' : 'live' } as Connection,
  ]),
);
const offers = new Map(
  ['acme', 'bravo', 'closed'].map((seller): [string, Offer] => [
    `${seller}:ctv`,
    {
      seller,
      productId: 'ctv',
      name: 'Connected TV',
      pricingOptions: [fixed, auction, euros, yen],
      reportingFrequencies: ['daily'],
      offeredAt: 0,
    },
  ]),
);

function wanted(more: Partial<PackageRequest> = {}): PackageRequest {
  return { productId: 'acme:ctv', pricingOptionId: 'cpm', budget: '1000', original, ...more };
}

function plan(packages: readonly PackageRequest[], more: Partial<CreateMediaBuyRequest> = {}) {
  const request: CreateMediaBuyRequest = {
    brand: { domain: 'brand.example' },
    packages,
    startTime: 'asap',
    endTime: '2026-03-01T00:00:00Z',
    original,
    ...more,
  };
  return planBuy(request, { connections, offers }, now);
}

function faults(...args: Parameters<typeof plan>): readonly (readonly [string, string | undefined])[] {
  const planned = plan(...args);
  return planned.ok ? [] : planned.error.map(({ code, field }) => [code, field] as const);
}

describe('a plan', () => {
  it('has one leg per seller, in the order of first mention, with positions and the seller’s own ids', () => {
    const planned = must(
      plan([
        wanted({ productId: 'bravo:ctv' }),
        wanted(),
        wanted({ productId: 'bravo:ctv', budget: '200.25' }),
      ]),
    );
    const legs = planned.legs.map(({ connection, packages }) => [
      connection.slug,
      packages.map((item) => [item.position, item.request.productId, item.budgetMicros]),
    ]);
    expect(legs).toEqual([
      [
        'bravo',
        [
          [0, 'ctv', 1_000_000_000n],
          [2, 'ctv', 200_250_000n],
        ],
      ],
      ['acme', [[1, 'ctv', 1_000_000_000n]]],
    ]);
    expect(planned.currency).toBe('USD');
  });

  it('accepts two packages of one product', () => {
    expect(faults([wanted(), wanted()])).toEqual([]);
  });

  it('keeps budgets exactly as written', () => {
    const planned = plan([wanted({ budget: '999999999999.99' })]);
    expect(planned.ok && planned.value.legs[0]?.packages[0]?.budgetMicros).toBe(999_999_999_999_990_000n);
    expect(faults([wanted({ budget: '1e3' })])).toEqual([]);
  });

  it('reports a bid on a fixed price and accepts it, however low', () => {
    const planned = plan([wanted({ bidPrice: '0.01' })]);
    expect(planned.ok && planned.value.findings).toEqual([
      expect.objectContaining({ code: 'BID_ON_FIXED_PRICE', field: 'packages[0].bid_price' }),
    ]);
  });

  it('may start today, even if a form has only the day', () => {
    expect(faults([wanted()], { startTime: '2026-01-15T00:00:00Z' })).toEqual([]);
  });
});

describe('a refusal names its field', () => {
  const cases: readonly [string, PackageRequest, string, string][] = [
    ['a product without a seller', wanted({ productId: 'ctv' }), 'PRODUCT_NOT_FOUND', 'product_id'],
    ['a seller nobody knows', wanted({ productId: 'zulu:ctv' }), 'PRODUCT_NOT_FOUND', 'product_id'],
    ['a product nobody quoted', wanted({ productId: 'acme:none' }), 'PRODUCT_NOT_FOUND', 'product_id'],
    ['a seller that is not live', wanted({ productId: 'closed:ctv' }), 'PRODUCT_UNAVAILABLE', 'product_id'],
    [
      'a price that is not offered',
      wanted({ pricingOptionId: 'no' }),
      'INVALID_REQUEST',
      'pricing_option_id',
    ],
    ['a budget of zero', wanted({ budget: '0' }), 'INVALID_REQUEST', 'budget'],
    ['a negative budget', wanted({ budget: '-5' }), 'INVALID_REQUEST', 'budget'],
    ['a budget beyond all amounts', wanted({ budget: '1e400' }), 'INVALID_REQUEST', 'budget'],
    ['0.1 + 0.2', wanted({ budget: '0.30000000000000004' }), 'INVALID_REQUEST', 'budget'],
    ['cents of a cent', wanted({ budget: '1000.001' }), 'INVALID_REQUEST', 'budget'],
    ['sen', wanted({ pricingOptionId: 'yen', budget: '1000.5' }), 'INVALID_REQUEST', 'budget'],
    ['less than the least', wanted({ budget: '99.99' }), 'BUDGET_TOO_LOW', 'budget'],
    ['an auction without a bid', wanted({ pricingOptionId: 'bid' }), 'INVALID_REQUEST', 'bid_price'],
    [
      'a bid below the floor',
      wanted({ pricingOptionId: 'bid', bidPrice: '4.99' }),
      'INVALID_REQUEST',
      'bid_price',
    ],
    ['a bid of zero', wanted({ pricingOptionId: 'bid', bidPrice: '0' }), 'INVALID_REQUEST', 'bid_price'],
  ];
  it.each(cases)('for %s', (_what, item, code, member) => {
    expect(faults([wanted(), item])).toEqual([[code, `packages[1].${member}`]]);
  });

  it('for two currencies, at the package with the second one', () => {
    expect(faults([wanted(), wanted(), wanted({ pricingOptionId: 'eur' })])).toEqual([
      ['INVALID_REQUEST', 'packages[2].pricing_option_id'],
    ]);
  });

  it('for no packages, a start before today and an end in the past', () => {
    const flight = { startTime: '2026-01-14T23:59:59Z', endTime: '2026-01-15T12:00:00Z' };
    expect(faults([], flight)).toEqual([
      ['INVALID_REQUEST', 'start_time'],
      ['INVALID_REQUEST', 'end_time'],
      ['INVALID_REQUEST', 'packages'],
    ]);
  });

  it('for a total in another currency than the packages, and a total in theirs is accepted', () => {
    const totalIn = (currency: string): Partial<CreateMediaBuyRequest> => ({
      original: { form: '3.1', value: { total_budget: { amount: 1000, currency } } },
    });
    expect(faults([wanted()], totalIn('EUR'))).toEqual([['INVALID_REQUEST', 'total_budget.currency']]);
    expect(faults([wanted({ pricingOptionId: 'eur' })], totalIn('EUR'))).toEqual([]);
    // Of packages that cannot be bought no currency is known to hold it against.
    expect(faults([wanted({ productId: 'x:y' })], totalIn('EUR'))).toEqual([
      ['PRODUCT_NOT_FOUND', 'packages[0].product_id'],
    ]);
  });

  it('and suggests a correction', () => {
    for (const [, item] of cases) {
      const planned = plan([item]);
      expect(planned.ok ? [] : planned.error.map(({ suggestion }) => suggestion)).toEqual([
        expect.stringMatching(/\w/),
      ]);
    }
  });

  it('for every package at once', () => {
    const errors = faults([wanted({ budget: '0' }), wanted(), wanted({ productId: 'x:y' })]);
    expect(errors.map(([, field]) => field)).toEqual(['packages[0].budget', 'packages[2].product_id']);
  });
});

describe('an invalid value of a seller', () => {
  it('in a floor or a minimum spend refuses nobody and throws nothing', () => {
    const offer = offers.get('acme:ctv')!;
    const odd = { ...auction, floorPrice: '1e400', minSpendPerPackage: 'much' };
    const market = { connections, offers: new Map([['acme:ctv', { ...offer, pricingOptions: [odd] }]]) };
    const packages = [wanted({ pricingOptionId: 'bid', bidPrice: '6' })];
    const request = {
      brand: {},
      packages,
      startTime: 'asap',
      endTime: '2026-03-01T00:00:00Z',
      original,
    };
    expect(planBuy(request, market, now).ok).toBe(true);
  });
});
