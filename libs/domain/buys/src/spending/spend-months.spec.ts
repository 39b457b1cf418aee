import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { spreadOverMonths, type SpendTime } from './spend-months.js';

const flight = { first: '2026-10-16', last: '2026-12-15' };
const textOf = (...[amount, time, booked]: Parameters<typeof spreadOverMonths>): string =>
  spreadOverMonths(amount, time, booked)
    .map((one) => `${one.month} ${one.amount}`)
    .join(', ');

describe('an amount over months', () => {
  it('is spread by the days of the flight', () => {
    expect(textOf(61n, { from: '2026-09-01', flight })).toBe('2026-10 16, 2026-11 30, 2026-12 15');
  });

  it('is spread by the plan of the campaign where it has months of the flight', () => {
    const plan = new Map([
      ['2026-11', 3n],
      ['2026-12', 1n],
      ['2027-01', 96n],
    ]);
    expect(textOf(100n, { from: '2026-09-01', flight, plan })).toBe('2026-11 75, 2026-12 25');
    expect(textOf(61n, { from: '2026-09-01', flight, plan: new Map([['2027-01', 96n]]) })).toBe(
      '2026-10 16, 2026-11 30, 2026-12 15',
    );
  });

  it('counts no day before the commitment, and is of its month where no day is left or known', () => {
    expect(textOf(45n, { from: '2026-11-01', flight })).toBe('2026-11 30, 2026-12 15');
    expect(textOf(45n, { from: '2027-02-03', flight })).toBe('2027-02 45');
    expect(textOf(45n, { from: '2027-02-03' })).toBe('2027-02 45');
  });

  it('takes what a month books above its share from the next months, then from the earlier ones', () => {
    const time = { from: '2026-09-01', flight };
    expect(textOf(61n, time, new Map([['2026-10', 20n]]))).toBe('2026-10 20, 2026-11 26, 2026-12 15');
    expect(textOf(61n, time, new Map([['2026-12', 18n]]))).toBe('2026-10 16, 2026-11 27, 2026-12 18');
    expect(textOf(61n, time, new Map([['2027-03', 10n]]))).toBe(
      '2026-10 16, 2026-11 30, 2026-12 5, 2027-03 10',
    );
  });

  it('puts the rest of a flight of centuries into its last month', () => {
    const shares = spreadOverMonths(10_000_000n, {
      from: '2026-09-01',
      flight: { first: '2026-09-01', last: '9999-12-31' },
    });
    expect(shares.length).toBe(120);
    expect(shares.reduce((sum, { amount }) => sum + amount, 0n)).toBe(10_000_000n);
  });

  it('keeps its sum, and every month at least what it has booked', () => {
    const month = fc.integer({ min: 1, max: 12 }).map((one) => `2026-${String(one).padStart(2, '0')}`);
    const day = fc
      .tuple(month, fc.integer({ min: 1, max: 28 }))
      .map(([of, one]) => `${of}-${String(one).padStart(2, '0')}`);
    const booked = fc.array(fc.tuple(month, fc.bigInt({ min: -50n, max: 100n })), { maxLength: 6 });
    const lives = fc.record({
      from: day,
      first: day,
      last: day,
      booked,
      more: fc.bigInt({ min: 0n, max: 500n }),
    });
    fc.assert(
      fc.property(lives, ({ from, first, last, booked: rows, more }) => {
        const sums = new Map(rows);
        const all = [...sums.values()].reduce((sum, one) => sum + one, 0n);
        const amount = (all > 0n ? all : 0n) + more;
        const time: SpendTime = { from, flight: { first, last } };
        const shares = new Map(spreadOverMonths(amount, time, sums).map((one) => [one.month, one.amount]));
        expect([...shares.values()].reduce((sum, one) => sum + one, 0n)).toBe(amount);
        for (const [of, sum] of sums) expect(shares.get(of) ?? 0n).toBeGreaterThanOrEqual(sum);
      }),
    );
  });
});
