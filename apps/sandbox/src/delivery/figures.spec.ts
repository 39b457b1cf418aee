import { describe, expect, it } from '@jest/globals';
import type { Buy, BuyPackage } from '../buys/buy.js';
import { calendarOf, nextStep } from '../buys/calendar.js';
import { correctedFigure, dayFigure } from './deliver.js';
import { drawWhole } from '../seeded.js';

function part(budgetMicros: bigint, priceMicros: bigint): BuyPackage {
  return {
    packageId: 'pkg_1',
    productId: 'display_news',
    pricingOptionId: 'fixed_usd',
    pricingModel: 'cpm',
    budgetMicros: budgetMicros.toString(),
    priceMicros: priceMicros.toString(),
    creativeIds: ['c'],
    days: [],
  };
}

function buy(dayCount: number, packages: readonly BuyPackage[] = [part(100_000_000n, 5_000_000n)]): Buy {
  return {
    mediaBuyId: 'mb_1',
    status: 'active',
    currency: 'USD',
    createdAt: 0,
    updatedAt: 0,
    revision: 1,
    firstDay: '2026-01-30',
    dayCount,
    startTime: '',
    endTime: '',
    packages,
    clockFrom: 1000,
    stepsDone: 1,
    sequence: 0,
    finalSent: false,
  };
}

describe('figures', () => {
  it('never spend more than the budget, for any flight, budget and price, corrected or not', () => {
    for (let round = 0; round < 200; round += 1) {
      const budget = BigInt(drawWhole(1, 2_000_000_000, 'budget', round)) * 7n;
      const price = BigInt(drawWhole(1, 40_000, 'price', round)) * 1000n;
      const days = drawWhole(1, 14, 'days', round);
      const own = part(budget, price);
      const of = { seed: 's', slug: 'a', ordinal: round, part: own };
      const rows = Array.from({ length: days }, (_, day) => dayFigure(of, buy(days), day));
      const corrected = rows.map((row, day) => correctedFigure(of, day, row));
      const sum = (all: typeof rows) => all.reduce((total, row) => total + BigInt(row.spendMicros), 0n);
      expect(sum(rows)).toBeLessThanOrEqual(budget);
      expect(sum(corrected)).toBeLessThanOrEqual(sum(rows));
      for (const row of rows) expect(BigInt(row.spendMicros)).toBe((BigInt(row.impressions) * price) / 1000n);
    }
  });

  it('are the same on another date', () => {
    const own = part(100_000_000n, 5_000_000n);
    const of = { seed: 's', slug: 'a', ordinal: 0, part: own };
    const there = dayFigure(of, { ...buy(3), firstDay: '2031-05-05' }, 1);
    expect({ ...there, day: '' }).toEqual({ ...dayFigure(of, buy(3), 1), day: '' });
  });
});

describe('the compressed calendar', () => {
  it('has every day in order, one correction of a day already reported, and a final, for every length', () => {
    for (let days = 1; days <= 14; days += 1) {
      const steps = calendarOf('seed', buy(days), 100);
      expect(steps.filter((step) => step.kind === 'day').map((step) => step.day)).toEqual(
        Array.from({ length: days }, (_, day) => day),
      );
      const at = steps.findIndex((step) => step.kind === 'adjust');
      expect(steps.slice(0, at).some((step) => step.kind === 'day' && step.day === steps[at]?.day)).toBe(
        true,
      );
      expect(steps.at(-1)).toMatchObject({ kind: 'final', day: days - 1 });
      const times = steps.map((step) => step.afterMs);
      expect([...times].sort((a, b) => a - b)).toEqual(times);
    }
  });

  it('has no end for a flight of over 90 days, and a final report once it is canceled', () => {
    const long = { ...buy(14), startTime: '2026-01-30T00:00:00Z', endTime: '2099-01-01T00:00:00Z' };
    expect(calendarOf('seed', long, 100).map(({ kind }) => kind)).not.toContain('final');
    expect(nextStep('seed', { ...long, stepsDone: 16 }, 100)).toBeUndefined();
    const canceled = nextStep('seed', { ...long, status: 'canceled', stepsDone: 16 }, 100);
    expect(canceled?.step.kind).toBe('final');
  });

  it('waits while the buy is paused or not begun, and is complete after the final', () => {
    expect(nextStep('seed', buy(3), 100)).toMatchObject({ step: { kind: 'day', day: 0 }, at: 1100 });
    expect(nextStep('seed', { ...buy(3), pausedAfter: 50 }, 100)).toBeUndefined();
    const { clockFrom: _clockFrom, ...waiting } = buy(3);
    expect(nextStep('seed', waiting, 100)).toBeUndefined();
    expect(nextStep('seed', { ...buy(3), finalSent: true }, 100)).toBeUndefined();
  });
});
