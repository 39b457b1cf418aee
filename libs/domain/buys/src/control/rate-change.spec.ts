import { describe, expect, it } from '@jest/globals';
import { firstJump, ratesMakingRoom } from './rate-change.js';

const rate = (date: string, value: string, to = 'USD') => ({ from: 'EUR', to, date, rate: value });

describe('a rate that is far from the one before it', () => {
  const known = [rate('2026-11-20', '1.08'), rate('2026-11-25', '1.09'), rate('2026-12-01', '9')];

  it.each([
    ['a hundred times as large', '108.12'],
    ['in the other direction', '0.5'],
    ['a little above 1.5 times', '1.6351'],
  ])('is found: %s', (_, value) => {
    const found = firstJump([rate('2026-11-27', value)], known);
    expect(found?.before).toEqual(known[1]);
  });

  it('is found within the new rates, whatever their order', () => {
    const wanted = [rate('2026-11-28', '108'), rate('2026-11-27', '1.09')];
    expect(firstJump(wanted, [])).toEqual({ rate: wanted[0], before: wanted[1] });
  });

  it('is not found where it is near, or of another pair, or the first one', () => {
    expect(firstJump([rate('2026-11-27', '1.5'), rate('2026-11-27', '163', 'JPY')], known)).toBeUndefined();
    expect(firstJump([rate('2026-11-01', '50')], known)).toBeUndefined();
  });
});

describe('a rate that makes room', () => {
  const known = { limits: ['USD'], rates: [rate('2026-11-20', '1.08')], today: '2026-11-29' };

  it('is lower than the one that it follows, and is the newest of today', () => {
    const lower = rate('2026-11-27', '1.07');
    expect(ratesMakingRoom([lower, rate('2026-11-27', '1', 'JPY')], known)).toEqual([
      { rate: lower, before: known.rates[0] },
    ]);
    expect(ratesMakingRoom([rate('2026-11-10', '1')], known)).toEqual([]);
    expect(ratesMakingRoom([rate('2026-11-27', '1.09')], known)).toEqual([]);
  });

  it('is found among ten thousand in one pass', () => {
    const many = Array.from({ length: 10_000 }, (_, at) =>
      rate(new Date(Date.UTC(2000, 0, 1 + at)).toISOString().slice(0, 10), '1.08'),
    );
    expect(ratesMakingRoom(many, { ...known, rates: many, today: '2099-01-01' })).toEqual([]);
  });
});
