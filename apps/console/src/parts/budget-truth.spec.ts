import { describe, expect, it } from '@jest/globals';
import { partsOf } from './budget-truth.js';

describe('the truth about a budget', () => {
  it('has what is delivered, booked, free, and what the plan passes it by, to the micro', () => {
    const campaign = { budget: '50000', delivered: '41218', committed: '46400' };
    expect(partsOf({ ...campaign, plan: '38000' })).toEqual({
      delivered: 41_218_000_000n,
      booked: 5_182_000_000n,
      free: 3_600_000_000n,
      plan: 38_000_000_000n,
      over: 34_400_000_000n,
    });
    expect(partsOf({ ...campaign, plan: '3600' }).over).toBe(0n);
  });

  it('counts what was delivered above the order, and never less than nothing', () => {
    expect(partsOf({ budget: '100', delivered: '120', committed: '110', plan: '0' })).toMatchObject({
      booked: 0n,
      free: 0n,
      over: 20_000_000n,
    });
  });
});
