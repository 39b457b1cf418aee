import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { makeOperation } from '@switchyard/testing';
import { viewBuy } from './buy-view.js';
import type { LegStatus, MediaBuyRecord, SellerBuy } from '../model/operation.js';

const day = (number: number): number => Date.UTC(2026, 0, number);

/** Two legs, each with its status and what is known of the seller's buy. */
function record(
  legs: readonly (readonly [LegStatus, Partial<SellerBuy>])[],
  more: Partial<MediaBuyRecord> = {},
): MediaBuyRecord {
  const sellers = ['acme', 'bravo', 'cargo'].slice(0, legs.length);
  const draft = makeOperation({ organizationId: randomUUID() }, { sellers, buyerRef: 'spring' });
  return {
    buy: draft.buy,
    legs: draft.legs.map((leg, index) => ({ ...leg, status: legs[index]![0] })),
    sellerBuys: draft.sellerBuys.map((item, index) => ({ ...item, ...legs[index]![1] })),
    packages: draft.packages,
    ...more,
  };
}

const confirmed = (on: number): Partial<SellerBuy> => ({
  sellerMediaBuyId: 'x',
  status: 'active',
  confirmedAt: day(on),
  statusAsOf: day(on + 10),
});

describe('a buy is confirmed', () => {
  it('when the last of its sellers confirmed', () => {
    const view = viewBuy(
      record([
        ['completed', confirmed(2)],
        ['completed', confirmed(3)],
      ]),
    );
    expect(view.confirmedAt).toBe('2026-01-03T00:00:00.000Z');
  });

  it.each([
    ['one is provisional', 'completed', { sellerMediaBuyId: 'y', status: 'active', statusAsOf: day(5) }],
    ['one has not answered', 'submitted', {}],
    ['one waits for a person', 'parked', {}],
  ] as const)('not while %s', (_what, status, sellerBuy) => {
    expect(
      viewBuy(
        record([
          ['completed', confirmed(2)],
          [status, sellerBuy],
        ]),
      ).confirmedAt,
    ).toBeNull();
  });

  it('without sellers that refused, and never if all did', () => {
    const refused = ['failed', { status: 'rejected', statusAsOf: day(4) }] as const;
    expect(viewBuy(record([['completed', confirmed(2)], refused])).confirmedAt).toBe(
      '2026-01-02T00:00:00.000Z',
    );
    expect(viewBuy(record([refused, refused])).confirmedAt).toBeNull();
  });
});

describe('the time of a status', () => {
  it('is the oldest poll of a running buy', () => {
    const over = { status: 'completed', statusAsOf: day(1) } as const;
    const view = viewBuy(
      record([
        ['completed', { ...confirmed(2), statusAsOf: day(12) }],
        ['completed', { ...confirmed(3), statusAsOf: day(11) }],
        ['completed', { ...confirmed(4), ...over }],
      ]),
    );
    expect(view.statusAsOf).toBe('2026-01-11T00:00:00.000Z');
  });

  it('is the newest poll if all have ended', () => {
    const over = (on: number) => ['completed', { status: 'completed', statusAsOf: day(on) }] as const;
    expect(viewBuy(record([over(3), over(7)])).statusAsOf).toBe('2026-01-07T00:00:00.000Z');
  });

  it('is absent while a part was never polled', () => {
    const view = viewBuy(
      record([
        ['completed', confirmed(2)],
        ['submitted', {}],
      ]),
    );
    expect(view.statusAsOf).toBeUndefined();
  });
});

describe('a buy as its buyer sees it', () => {
  it("does not change by its dates: only a seller's update changes it", () => {
    const base = record([['completed', { ...confirmed(2), status: 'pending_start' }]]);
    const past = { startTime: '2001-01-01T00:00:00Z', endTime: '2001-02-01T00:00:00Z' };
    for (const status of ['pending_start', 'active', 'paused'] as const)
      expect(viewBuy({ ...base, buy: { ...base.buy, ...past, status } }).status).toBe(status);
  });

  it('counts what was bought with it while it may be made, and what was added later only once it is made', () => {
    const base = record([['submitted', {}]]);
    const [first] = base.packages;
    const added = { ...first!, id: randomUUID(), legId: randomUUID(), position: 9 };
    const totalOf = (packages: MediaBuyRecord['packages']): string | undefined =>
      viewBuy({ ...base, packages }).totalBudget;
    expect(totalOf([first!, added])).toBe(totalOf([first!]));
    const twice = totalOf([first!, { ...added, sellerPackageId: 'p9' }]);
    expect(twice).not.toBe(totalOf([first!]));
  });

  it('has its own references, the sum of its budgets, and packages that were made, under their seller’s name', () => {
    const base = record([['completed', confirmed(2)]]);
    const [first, second] = base.packages;
    const view = viewBuy({ ...base, packages: [{ ...first!, sellerPackageId: 'p1' }, second!] });
    expect(view).toMatchObject({
      buyerRef: 'spring',
      context: { campaign: 'spring' },
      // 2 x 9007199254.740993 and one millionth: more than a double holds.
      totalBudget: '18014398509.481987',
    });
    expect(view.packages).toEqual([
      expect.objectContaining({
        packageId: 'acme:p1',
        productId: 'acme:ctv',
        buyerRef: 'package-0',
        context: { line: 0 },
        budget: '9007199254.740993',
      }),
    ]);
  });
});
