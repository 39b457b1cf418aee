import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { agingOf, bucketOf } from './aging.js';
import { journalDocuments, type JournalSum } from './journal-export.js';
import { paceOf, plannedByDay, type PaceInput } from './pacing.js';
import { convertMicros } from './payment.js';

describe('aging', () => {
  it('is current through the due date of an invoice, and then in steps of 30 days', () => {
    const at = (today: string) => bucketOf('2026-06-01', today);
    expect(
      ['2026-06-01', '2026-06-02', '2026-07-01', '2026-07-02', '2026-08-30', '2026-08-31'].map(at),
    ).toEqual(['current', 'days_1_30', 'days_1_30', 'days_31_60', 'days_61_90', 'over_90']);
  });

  it('never adds up two currencies, and counts an invoice once', () => {
    const one = { id: 'a', seller: 's', dueOn: '2026-06-01', openMicros: 5n };
    const rows = agingOf(
      [
        { ...one, currency: 'EUR', clientId: 'x' },
        { ...one, currency: 'EUR', clientId: 'y' },
        { ...one, id: 'b', currency: 'USD' },
      ],
      '2026-06-01',
      new Set(['seller']),
    );
    expect(rows.map(({ currency, current, invoiceTotal }) => [currency, current, invoiceTotal])).toEqual([
      ['EUR', 10n, 1],
      ['USD', 5n, 1],
    ]);
  });
});

describe('a journal', () => {
  const sum = (account: string, amountMicros: bigint, currency: string): JournalSum => ({
    day: '2026-09-01',
    kind: 'delivery',
    seller: 's',
    currency,
    account,
    amountMicros,
  });

  it('balances in whole minor units for any amounts', () => {
    const amounts = fc.array(fc.bigInt({ min: -1_000_000_000_000n, max: 1_000_000_000_000n }), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(amounts, fc.constantFrom('EUR', 'JPY', 'BHD'), (of, currency) => {
        const rest = of.reduce((total, amount) => total + amount, 0n);
        const sums = [...of, -rest].map((amount, at) => sum(`account ${at}`, amount, currency));
        const unit = { EUR: 10_000n, JPY: 1_000_000n, BHD: 1_000n }[currency];
        for (const { lines } of journalDocuments(sums, 1)) {
          expect(lines.reduce((total, { amountMicros }) => total + amountMicros, 0n)).toBe(0n);
          expect(lines.every(({ amountMicros }) => amountMicros !== 0n && amountMicros % unit === 0n)).toBe(
            true,
          );
        }
      }),
    );
  });

  it('is refused if its sums do not balance', () => {
    expect(() => journalDocuments([sum('media_spend', 1n, 'EUR')], 1)).toThrow('does not balance');
  });
});

describe('a plan by day', () => {
  it('adds up to its months and to the budget', () => {
    const plan = new Map([['2026-09', 100n]]);
    const days = plannedByDay({ startsOn: '2026-09-28', endsOn: '2026-10-02', plan, budgetMicros: 301n });
    const amounts = [...days.values()];
    expect([...days.keys()]).toHaveLength(5);
    expect(amounts.slice(0, 3).reduce((total, amount) => total + amount, 0n)).toBe(100n);
    expect(amounts.slice(3)).toEqual([100n, 101n]);
  });

  const flight = (more: Partial<PaceInput>): PaceInput => ({
    startsOn: '2026-09-01',
    endsOn: '2026-09-10',
    plan: new Map(),
    budgetMicros: 1_000n,
    today: '2026-09-06',
    delivered: new Map(),
    silentDays: 2,
    ...more,
  });
  const each = (amount: bigint, days: number) =>
    new Map(Array.from({ length: days }, (_, at) => [`2026-09-0${at + 1}`, amount] as const));
  const codes = (more: Partial<PaceInput>) => paceOf(flight(more)).alerts.map(({ code }) => code);

  it('raises each alert only for its own cause', () => {
    const through = { reportedThrough: '2026-09-05' };
    expect(codes({ ...through, delivered: each(100n, 5) })).toEqual([]);
    expect(codes({ ...through, delivered: each(89n, 5) })).toEqual(['behind']);
    expect(codes({ ...through, delivered: each(111n, 5) })).toEqual(['will_overspend', 'ahead']);
    expect(codes(through)).toEqual(['not_started']);
    expect(codes({ reportedThrough: '2026-09-03', delivered: each(100n, 3) })).toEqual([
      'no_report_for_days',
    ]);
    expect(codes({ today: '2026-09-01' })).toEqual([]);
    expect(paceOf(flight({ today: '2026-08-20' })).through).toBeUndefined();
  });

  it('ends its forecast with the flight', () => {
    expect(paceOf(flight({ delivered: each(90n, 5), reportedThrough: '2026-09-05' })).forecastMicros).toBe(
      900n,
    );
    expect(paceOf(flight({ delivered: each(90n, 5), today: '2026-12-01' })).forecastMicros).toBe(450n);
  });
});

it('an amount is converted exactly and rounded half to even', () => {
  expect([convertMicros(5n, '0.5'), convertMicros(7n, '0.5'), convertMicros(-5n, '0.5')]).toEqual([
    2n,
    4n,
    -2n,
  ]);
  expect(convertMicros(123_456_789n, '1.161234567891')).toBe(143_362_291n);
});
