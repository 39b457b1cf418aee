import { describe, expect, it } from '@jest/globals';
import { adviseBudgets, type AdvisedLine } from './advice.js';

const unit = 1_000_000n;
const day = (of: number): string => `2026-11-${String(of).padStart(2, '0')}`;

interface Named extends AdvisedLine {
  readonly name: string;
}

/** A line of November that delivered the same on each day to the 20th; in whole units. */
const line = (name: string, budget: number, daily: number, more: Partial<AdvisedLine> = {}): Named => ({
  name,
  ...{ startsOn: day(1), endsOn: day(30), state: 'open', reportedThrough: day(20) },
  budgetMicros: BigInt(budget) * unit,
  delivered: new Map(Array.from({ length: 20 }, (_, at) => [day(at + 1), BigInt(daily) * unit] as const)),
  ...more,
});
const cpm = (units: number) => ({ cpmMicros: BigInt(units) * unit });
const advised = (plan: number, ...lines: readonly Named[]) => {
  const advice = adviseBudgets({ today: day(21), planMicros: BigInt(plan) * unit, lines });
  return (
    advice && {
      kind: advice.kind,
      amount: Number(advice.amountMicros / unit),
      left: Number(advice.leftMicros / unit),
      changes: advice.changes.map((change) => [
        change.line.name,
        Number(change.toMicros / unit),
        change.why,
        Number((change.factMicros ?? 0n) / unit),
      ]),
    }
  );
};

describe('advice on the budgets of a campaign', () => {
  it('moves what one line would not spend to the line that would spend more, and says how much room that has', () => {
    // 100 a day is 3,000 in all of 5,000; 210 a day is 6,300 of 5,000.
    expect(advised(10_000, line('slow', 5_000, 100), line('fast', 5_000, 210))).toEqual({
      ...{ kind: 'move', amount: 1_300, left: 0 },
      changes: [
        ['slow', 3_700, 'unspent', 2_000],
        ['fast', 6_300, 'room', 1_300],
      ],
    });
  });

  it('fills the cheapest of several lines with room first, and those without a known price last', () => {
    const lines = [
      line('slow', 5_000, 100),
      line('dear', 3_000, 150, cpm(30)),
      line('cheap', 3_000, 150, cpm(10)),
      line('unknown', 3_000, 150),
    ];
    expect(advised(14_000, ...lines)?.changes).toEqual([
      ['slow', 3_000, 'unspent', 2_000],
      ['cheap', 4_500, 'room', 1_500],
      ['dear', 3_500, 'room', 1_500],
    ]);
  });

  it('gives money that is booked nowhere to a line with room', () => {
    expect(advised(10_000, line('fast', 5_000, 210))).toMatchObject({ kind: 'raise', amount: 1_300 });
  });

  it('lowers what nobody would spend first, then the line whose thousand costs most, to the budget and no further', () => {
    const lines = [
      line('slow', 3_000, 80),
      line('dear', 4_000, 150, cpm(30)),
      line('cheap', 4_000, 150, cpm(10)),
    ];
    expect(advised(10_000, ...lines)).toEqual({
      ...{ kind: 'lower', amount: 1_000, left: 0 },
      changes: [
        ['slow', 2_400, 'unspent', 600],
        ['dear', 3_600, 'dearest', 30],
      ],
    });
  });

  it('takes no more than half of a line while another can be cut', () => {
    const young = { startsOn: day(19), reportedThrough: day(19), delivered: new Map<string, bigint>() };
    const lines = [line('dear', 2_000, 0, { ...young, ...cpm(30) }), line('cheap', 2_000, 0, young)];
    expect(advised(2_500, ...lines)?.changes).toEqual([
      ['dear', 1_000, 'dearest', 30],
      ['cheap', 1_500, 'dearest', 0],
    ]);
    expect(advised(1_500, ...lines)?.changes.map(([, to]) => to)).toEqual([500, 1_000]);
  });

  it('never lowers a line below what it delivered and delivers until tomorrow, and says what stays over', () => {
    const line30 = line('fast', 5_000, 210, cpm(30));
    expect(advised(1_000, line30)).toMatchObject({ changes: [['fast', 4_410, 'dearest', 30]], left: 3_410 });
  });

  it('counts lines that it cannot change with all that they may still spend', () => {
    const held = line('held', 5_000, 0, { state: 'held' });
    const over = line('over', 5_000, 10, { state: 'over' });
    expect(advised(10_200, held, over, line('fast', 5_000, 170))).toBeUndefined();
    expect(advised(9_200, held, over, line('fast', 5_000, 170))).toMatchObject({
      changes: [['fast', 4_000, 'dearest', 0]],
    });
  });

  it('says nothing of silent lines, of young lines, of a campaign on plan, and of small change', () => {
    const silent = { reportedThrough: day(10) };
    expect(advised(10_000, line('slow', 5_000, 100, silent), line('fast', 5_000, 210))).toBeUndefined();
    const young = { startsOn: day(19) };
    expect(advised(10_000, line('slow', 5_000, 100), line('fast', 5_000, 210, young))).toBeUndefined();
    expect(advised(10_000, line('a', 5_000, 167), line('b', 5_000, 168))).toBeUndefined();
    expect(advised(10_000, line('slow', 5_000, 100), line('fast', 5_000, 167))).toBeUndefined();
    expect(advised(10_000)).toBeUndefined();
  });

  it('moves no budget out of a campaign, whatever its lines delivered', () => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const lines = Array.from({ length: 1 + (seed % 5) }, (_, at) =>
        line(`l${at}`, 500 + ((seed * 7919 + at * 104729) % 9_000), (seed * 31 + at * 977) % 400, {
          ...((seed + at) % 3 === 0 ? {} : cpm(1 + ((seed * 13 + at * 7) % 50))),
        }),
      );
      const plan = 1_000 + ((seed * 6_151) % 30_000);
      const advice = adviseBudgets({ today: day(21), planMicros: BigInt(plan) * unit, lines });
      const total = (of: (item: Named) => bigint) => lines.reduce((all, item) => all + of(item), 0n);
      const before = total(({ budgetMicros }) => budgetMicros);
      const after = total(
        (item) => advice?.changes.find(({ line: one }) => one === item)?.toMicros ?? item.budgetMicros,
      );
      if (advice?.kind === 'move') expect(after).toBeLessThanOrEqual(max(before, BigInt(plan) * unit));
      if (advice?.kind === 'lower') expect(after).toBeLessThan(before);
    }
  });
});

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
