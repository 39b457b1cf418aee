import { describe, expect, it } from '@jest/globals';
import { paceOf, type PaceInput } from './pacing.js';

const day = (of: number): string => `2026-11-${String(of).padStart(2, '0')}`;
const daily = (from: number, to: number, amount: bigint) =>
  new Map(Array.from({ length: to - from + 1 }, (_, at) => [day(from + at), amount] as const));

const flight: PaceInput = {
  ...{ startsOn: day(1), endsOn: day(30), plan: new Map(), budgetMicros: 3_000n },
  ...{ today: day(29), delivered: daily(1, 28, 100n), reportedThrough: day(28), silentDays: 2 },
};
const codesOf = (more: Partial<PaceInput>) => paceOf({ ...flight, ...more }).alerts.map(({ code }) => code);

describe('pacing', () => {
  it('goes on with the mean of the last seven days while figures come', () => {
    expect(paceOf(flight)).toMatchObject({ deliveredMicros: 2_800n, forecastMicros: 3_000n, alerts: [] });
  });

  it('ends the forecast at what is ordered, where no more than that is delivered already', () => {
    const fast = { delivered: daily(1, 28, 120n), orderedMicros: 3_500n };
    expect(paceOf({ ...flight, ...fast }).forecastMicros).toBe(3_500n);
    expect(paceOf({ ...flight, ...fast, orderedMicros: 3_300n }).forecastMicros).toBe(3_600n);
  });

  it('adds nothing to the forecast where no figures come, and says that none came', () => {
    const silent = { delivered: daily(1, 8, 100n), reportedThrough: day(8) };
    expect(paceOf({ ...flight, ...silent }).forecastMicros).toBe(800n);
    expect(codesOf(silent)).toEqual(['no_report_for_days']);
  });

  it('has one forecast, after however many silent days an alert was asked for', () => {
    const silent = { delivered: daily(1, 8, 100n), reportedThrough: day(8), silentDays: 60 };
    expect(paceOf({ ...flight, ...silent }).forecastMicros).toBe(800n);
    expect(codesOf(silent)).toEqual([]);
  });

  it('tells what loses money before what is silent, and that before what is behind', () => {
    const spent = { delivered: new Map([[day(2), 3_200n]]), reportedThrough: day(8) };
    expect(codesOf(spent)).toEqual(['over_budget', 'will_overspend', 'no_report_for_days', 'ahead']);
    const slow = { delivered: daily(1, 8, 10n), reportedThrough: day(8), committedMicros: 3_001n };
    expect(codesOf(slow)).toEqual(['over_budget', 'no_report_for_days', 'behind']);
    const fast = { today: day(17), delivered: daily(10, 16, 190n), reportedThrough: day(16) };
    expect(codesOf(fast)).toEqual(['will_overspend', 'behind']);
  });

  it('tells of a budget that is passed by what is committed before the first day', () => {
    const before = { today: '2026-10-20', delivered: new Map<string, bigint>(), committedMicros: 3_001n };
    expect(codesOf(before)).toEqual(['over_budget']);
  });
});
