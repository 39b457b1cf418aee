import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ledgerAfter, buy, delivery, pulled, pushed, report, row } from '../testkit/report-maker.js';
import type { Observation } from '../report/observation.js';
import type { LedgerContents } from '../report/report-repository.js';
import { byLargestRemainder } from './share-days.js';

const dayMs = 86_400_000;
const rich = {
  ...buy,
  packages: buy.packages.map((item) => ({ ...item, budgetMicros: 1_000_000_000_000n })),
};

const period = (first: string, last: string) => ({
  start: new Date(Date.parse(first)).toISOString(),
  end: new Date(Date.parse(last) + dayMs).toISOString(),
});

const spent = (first: string, last: string, spend: string) =>
  pushed(report([delivery([row('p1', spend)])], { period: period(first, last) }));

/** Micros of `media_spend` by day, as all entries together post them. */
function postedBy(
  observations: readonly Observation[],
  contents: Partial<LedgerContents> = { buys: [rich] },
) {
  const { decisions } = ledgerAfter(observations, contents);
  const days = new Map<string, bigint>();
  for (const { account, day, amountMicros } of decisions.flatMap(({ entries }) =>
    entries.flatMap(({ postings }) => postings),
  ))
    if (account === 'media_spend') days.set(day, (days.get(day) ?? 0n) + amountMicros);
  const left = [...days]
    .filter(([, micros]) => micros !== 0n)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(left.map(([day, micros]) => [day, Number(micros) / 1_000_000]));
}

describe('a figure over the end of a month', () => {
  it('is split by its days, one part for each month on the first day there', () => {
    expect(postedBy([spent('2026-10-12', '2026-11-08', '560')])).toEqual({
      '2026-10-12': 400,
      '2026-11-01': 160,
    });
    expect(postedBy([spent('2026-12-28', '2027-01-03', '84')])).toEqual({
      '2026-12-28': 48,
      '2027-01-01': 36,
    });
  });

  it('leaves known days as they are, and gives the rest to the days that nothing covers', () => {
    const october = Array.from({ length: 20 }, (_, at) => `2026-10-${12 + at}`);
    const known = october.map((day) => spent(day, day, '18'));
    const posted = postedBy([...known, spent('2026-10-12', '2026-11-08', '560')]);
    expect(posted).toEqual({ ...Object.fromEntries(october.map((day) => [day, 18])), '2026-11-01': 200 });
  });

  it('shows a rest below zero where the known days are more', () => {
    const known = [spent('2026-10-31', '2026-10-31', '50')];
    expect(postedBy([...known, spent('2026-10-30', '2026-11-01', '40')])).toEqual({
      '2026-10-30': -5,
      '2026-10-31': 50,
      '2026-11-01': -5,
    });
  });

  it('gives way to single days that fill it', () => {
    const days = ['2026-10-31', '2026-11-01'].map((day) => spent(day, day, '10'));
    expect(postedBy([spent('2026-10-31', '2026-11-01', '30'), ...days])).toEqual({
      '2026-10-31': 10,
      '2026-11-01': 10,
    });
  });

  it('waits for a person where the seller is set so, and is split once it is admitted', () => {
    const held = { buys: [{ ...rich, longPeriods: 'hold' as const }] };
    const long = spent('2026-10-12', '2026-11-08', '560');
    const [decision] = ledgerAfter([long], held).decisions;
    expect(decision?.outcome).toMatchObject({ kind: 'quarantined', reasons: [{ code: 'crosses_month' }] });
    const admitted = { ...long, admitted: { by: 'ada', reason: 'asked the seller' } };
    expect(postedBy([admitted], held)).toEqual({ '2026-10-12': 400, '2026-11-01': 160 });
  });

  it('says in its entry what it moves, by package and day', () => {
    const { decisions } = ledgerAfter([spent('2026-10-12', '2026-11-08', '560')], { buys: [rich] });
    expect(decisions[0]?.entries[0]?.facts).toMatchObject({
      report: { calendar: { zone: 'UTC', basis: 'none', first: '2026-10-12', last: '2026-11-08' } },
      moves: [
        ['p1', '2026-10-12', '400000000'],
        ['p1', '2026-11-01', '160000000'],
      ],
      findings: [{ code: 'SPLIT_BY_DAYS' }],
    });
  });
});

describe('figures of long and short periods', () => {
  const draft = fc.record({
    from: fc.nat(50),
    length: fc.constantFrom(1, 1, 1, 2, 7, 28, 40),
    spend: fc.integer({ min: 0, max: 100_000 }),
    isPull: fc.boolean(),
    shift: fc.constantFrom(0, 0, -7_200_000),
  });
  const story = fc
    .array(draft, { minLength: 1, maxLength: 10 })
    .map((drafts) =>
      drafts.map(({ from, length, spend, isPull, shift }, at) => {
        const start = Date.UTC(2026, 9, 1) + from * dayMs + shift;
        const bounds = {
          start: new Date(start).toISOString(),
          end: new Date(start + length * dayMs).toISOString(),
        };
        const content = report([delivery([row('p1', (spend / 1_000 + at / 1_000_000).toFixed(6))])], {
          period: bounds,
          sequenceNumber: at + 1,
        });
        const seen = Date.UTC(2027, 0, 1) + at * 1_000;
        return isPull ? pulled(content, seen) : pushed(content, { reportedAt: seen, receivedAt: seen });
      }),
    )
    .chain((sent) => fc.tuple(fc.constant(sent), fc.shuffledSubarray(sent, { minLength: sent.length })));

  it('stand on the same days for any order in which they come', () => {
    const berlin = { buys: [{ ...rich, zones: ['Europe/Berlin'] }] };
    fc.assert(
      fc.property(story, ([inOrder, shuffled]) => {
        expect(postedBy(shuffled, berlin)).toEqual(postedBy(inOrder, berlin));
      }),
      { seed: 20_261_129, numRuns: 300 },
    );
  });

  it('have moves that add up to the lines of their entry, and lines that add up to what counts', () => {
    fc.assert(
      fc.property(story, ([, shuffled]) => {
        const { decisions, posted, counting } = ledgerAfter(shuffled, { buys: [rich] });
        for (const { entries } of decisions)
          for (const { facts, postings } of entries) {
            const { moves } = facts;
            if (!Array.isArray(moves)) continue;
            const sum = moves.reduce<bigint>(
              (all, move) => all + BigInt(String((move as readonly unknown[])[2])),
              0n,
            );
            const lines = postings.filter(({ account }) => account === 'media_spend');
            expect(lines.reduce((all, { amountMicros }) => all + amountMicros, 0n)).toBe(sum);
          }
        expect(posted).toBe(counting.reduce((sum, text) => sum + BigInt(text.split(' ').at(-1) ?? ''), 0n));
      }),
      { seed: 5, numRuns: 200 },
    );
  });
});

it('the parts of a division by largest remainder add up to the whole, and differ from it by less than one', () => {
  fc.assert(
    fc.property(
      fc.bigInt(-(10n ** 15n), 10n ** 15n),
      fc.array(fc.bigInt(1n, 31n), { minLength: 1, maxLength: 30 }),
      (amount, weights) => {
        const parts = byLargestRemainder(amount, weights);
        const total = weights.reduce((sum, weight) => sum + weight, 0n);
        expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(amount);
        for (const [at, part] of parts.entries()) {
          const apart = part * total - amount * (weights[at] ?? 0n);
          expect(apart < total && apart > -total).toBe(true);
        }
      },
    ),
    { seed: 3 },
  );
});
