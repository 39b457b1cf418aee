import { describe, expect, it } from '@jest/globals';
import type { BuyPackage, Leg, MediaBuyRecord, Operation } from '@switchyard/buys';
import type { Stop } from '@switchyard/tenancy';
import { detailOf, summaryOf } from './buy-views.js';

const item = (seller: string, more: Partial<BuyPackage>): BuyPackage => ({
  id: seller,
  mediaBuyId: 'mb_1',
  legId: seller,
  position: 0,
  seller,
  productId: 'ctv',
  pricingOptionId: 'cpm',
  currency: 'USD',
  budgetMicros: 1_000_000_000n,
  sellerPackageId: 'p1',
  ...more,
});
const quoted = { cancellation_policy: { cancellation_fee: { type: 'none' } } };
const counted = { billing_measurement: { vendor: { domain: 'counts.example' } } };
const record: MediaBuyRecord = {
  buy: {
    id: 'mb_1',
    organizationId: 'o',
    operationId: 'op',
    principalId: 'p',
    brand: {},
    operator: 'agency.example',
    currency: 'USD',
    status: 'active',
    revision: 2,
    startTime: '2026-12-01T00:00:00Z',
    endTime: '2026-12-31T00:00:00Z',
    createdAt: 0,
    updatedAt: 0,
  },
  sellerBuys: ['acme', 'bravo', 'cargo'].map((seller) => ({
    id: seller,
    mediaBuyId: 'mb_1',
    legId: seller,
    connectionId: seller,
    seller,
    sellerMediaBuyId: 'b1',
    status: 'active',
    ...(seller === 'acme' ? { reported: { endTime: '2027-01-15T00:00:00Z' } } : {}),
  })),
  packages: [
    item('acme', {
      terms: { requested: {}, sent: {}, reported: { budget: '700', measurement_terms: counted }, quoted },
    }),
    item('bravo', { canceledAt: 5, terms: { requested: {}, sent: {}, reported: {}, quoted: {} } }),
    item('cargo', { terms: { requested: {}, sent: {}, reported: {} } }),
  ],
  legs: [],
};

const names = {
  clients: new Map<string, string>(),
  campaigns: new Map<string, string>(),
  brands: new Map<string, string>(),
  principals: new Map([['p', 'planner']]),
  accounts: new Map([['acme', '{"account_id": "A-1"}']]),
};

describe('the view of a media buy for people', () => {
  it('has the agreed terms and the current ones at its sellers, each under its name', () => {
    expect(summaryOf(record, names)).toMatchObject({
      total_budget: '3000',
      current_total_budget: '1700',
      not_placed: '0',
      start_time: '2026-12-01T00:00:00Z',
      end_time: '2027-01-15T00:00:00Z',
      created_by: 'planner',
      client: null,
      campaign: null,
      sellers: [{ account: 'A-1' }, { account: ' by agency.example' }, { account: ' by agency.example' }],
    });
  });

  it('shows impairments with the texts of the seller, and none of an ended buy', () => {
    const impaired = [
      { reason: 'The page is gone.', remediation: 'Mend it.', package_ids: ['acme:p1', 7], odd: 1 },
    ];
    const { impairments } = summaryOf(record, names, { impairments: impaired });
    expect(impairments).toEqual([
      { reason: 'The page is gone.', remediation: 'Mend it.', package_ids: ['acme:p1'] },
    ]);
    const over = { ...record, buy: { ...record.buy, status: 'completed' as const } };
    expect(summaryOf(over, names, { impairments: impaired }).impairments).toEqual([]);
  });

  it('compares the budgets and terms of its packages, and says where no quote is known', () => {
    const { packages } = detailOf(
      record,
      {} as Operation,
      { legs: [], changes: [], delivered: [], names },
      0,
    );
    expect(packages).toMatchObject([
      {
        package_id: 'acme:p1',
        budget: '1000',
        current_budget: '700',
        quoted_terms: quoted,
        cancellation_cost: 'No fee.',
        terms: { measurement_terms: counted },
      },
      { package_id: 'bravo:p1', canceled: true, quoted_terms: {}, terms: {} },
      {
        package_id: 'cargo:p1',
        current_budget: '1000',
        quoted_terms: null,
        cancellation_cost: null,
        terms: {},
      },
    ]);
    expect(packages.map(({ canceled }) => canceled)).toEqual([undefined, true, undefined]);
  });

  it('names the emergency stop of a part which was not sent, and none for a part that was', () => {
    const leg = (seller: string, status: Leg['status']) =>
      ({
        id: seller,
        connectionId: seller,
        seller,
        status,
        createdAt: 0,
        findings: [],
        errors: [],
      }) as unknown as Leg;
    const waiting = { ...record, legs: [leg('acme', 'pending'), leg('bravo', 'completed')] };
    const stop: Stop = {
      ...{ kind: 'seller', subject: 'acme', target: 'seller:acme' },
      ...{ reason: 'Wrong prices.', by: 'ops', at: 0 },
    };
    const heldBy = (stops: readonly Stop[]) =>
      summaryOf(waiting, names, { stops }).sellers.map(({ held_by: held }) => held);
    const held = { target: 'seller:acme', reason: 'Wrong prices.' };
    expect(heldBy([stop])).toEqual([held, undefined, undefined]);
    expect(heldBy([{ ...stop, subject: 'bravo' }])).toEqual([undefined, undefined, undefined]);
    for (const [kind, subject] of [
      ['all', ''],
      ['principal', 'p'],
    ] as const)
      expect(heldBy([{ ...stop, kind, subject }])[0]).toEqual(held);
    const { legs } = detailOf(
      waiting,
      { taskId: 't', status: 'submitted' } as Operation,
      { legs: waiting.legs, changes: [], delivered: [], names, stops: [stop] },
      0,
    );
    expect(legs.map(({ requested_at: at, reason }) => [at, reason])).toEqual([
      ['1970-01-01T00:00:00.000Z', 'An emergency stop (seller:acme) holds it: Wrong prices.'],
      ['1970-01-01T00:00:00.000Z', undefined],
    ]);
  });
});
