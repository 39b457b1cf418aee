import { describe, expect, it } from '@jest/globals';
import type { QuotaKind, QuotaState, QuotaStore } from '@switchyard/store';
import { testClock } from '@switchyard/testing';
import { createQuotas, quotaError } from './quotas.js';

const organizationId = '2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11';

/** Counts as the database does. */
function stage(limits: QuotaState['limits'], start = Date.UTC(2026, 10, 30, 23, 59, 30)) {
  const clock = testClock(start);
  const used: Record<QuotaKind, number> = {
    ...{
      calls_per_day: 0,
      calls_per_month: 0,
      buys_per_day: 0,
      buys_per_month: 0,
      sellers: 3,
      file_bytes: 0,
    },
  };
  const asked: string[] = [];
  const store: QuotaStore = {
    state: () => Promise.resolve({ limits, used }),
    addCalls: (_scope, calls) => {
      asked.push('add');
      used.calls_per_day += calls;
      used.calls_per_month += calls;
      return Promise.resolve(Object.keys(limits).length === 0 ? undefined : { limits, used: { ...used } });
    },
    set: () => Promise.resolve(),
  };
  const quotas = createQuotas(store, clock, (error) => {
    throw error;
  });
  return { quotas, asked, used };
}

describe('a quota of calls', () => {
  it('refuses what comes after it, until the day ends', async () => {
    const { quotas, used } = stage({ calls_per_day: 3 });
    expect(quotas.takeCall(organizationId, false)).toBeUndefined();
    await Promise.resolve();
    await Promise.resolve();
    expect(quotas.takeCall(organizationId, false)).toBeUndefined();
    expect(quotas.takeCall(organizationId, false)).toBeUndefined();
    expect(quotas.takeCall(organizationId, false)).toEqual({
      kind: 'calls_per_day',
      most: 3,
      retryAfter: 30,
    });
    await quotas.stop();
    expect(used.calls_per_day).toBe(3);
  });

  it('stores what was counted at the end, and asks nothing for an organization without calls', async () => {
    const { quotas, asked, used } = stage({});
    await quotas.stop();
    expect(asked).toEqual([]);
    for (let call = 0; call < 5; call += 1) quotas.takeCall(organizationId, false);
    await quotas.stop();
    expect(used.calls_per_day).toBe(5);
  });

  it('of buys refuses buys alone', async () => {
    const { quotas } = stage({ buys_per_month: 1 });
    expect(quotas.takeCall(organizationId, true)).toBeUndefined();
    await Promise.resolve();
    await Promise.resolve();
    quotas.takeCall(organizationId, true);
    const refused = quotas.takeCall(organizationId, true);
    expect(refused).toMatchObject({ kind: 'buys_per_month', most: 1 });
    expect(quotas.takeCall(organizationId, false)).toBeUndefined();
    expect(quotaError(refused ?? { kind: 'sellers', most: 0 })).toMatchObject({ code: 'RATE_LIMITED' });
    await quotas.stop();
  });
});

describe('a quota of what is there', () => {
  it('has room up to its number', async () => {
    const { quotas } = stage({ sellers: 4 });
    const scope = { organizationId };
    expect(await quotas.roomFor(scope, 'sellers', 1)).toBeUndefined();
    expect(await quotas.roomFor(scope, 'sellers', 2)).toEqual({ kind: 'sellers', most: 4 });
    expect(await quotas.roomFor(scope, 'file_bytes', 1e12)).toBeUndefined();
    await quotas.stop();
  });
});
