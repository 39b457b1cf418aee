import { describe, expect, it } from '@jest/globals';
import type { QuotaKind, QuotaState, QuotaStore } from '@switchyard/store';
import { testClock } from '@switchyard/testing';
import { createQuotas, quotaError, quotaFailure } from './quotas.js';

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
      relays_per_day: 0,
      relays_per_month: 0,
      import_bytes_per_day: 0,
      import_bytes_per_month: 0,
      sellers: 3,
      file_bytes: 0,
    },
  };
  const asked: string[] = [];
  const store: QuotaStore = {
    state: () => Promise.resolve({ limits, used }),
    addUsage: (_scope, { calls, relays, import_bytes: bytes }) => {
      asked.push('add');
      used.calls_per_day += calls;
      used.calls_per_month += calls;
      used.relays_per_day += relays;
      used.import_bytes_per_month += bytes;
      return Promise.resolve(Object.keys(limits).length === 0 ? undefined : { limits, used: { ...used } });
    },
    set: () => Promise.resolve(),
  };
  const near: string[] = [];
  const quotas = createQuotas({
    store,
    clock,
    onUnexpected: (error) => {
      throw error;
    },
    onNear: (_scope, told) => {
      near.push(`${told.kind} ${told.used} of ${told.most} in ${told.period}`);
      return Promise.resolve();
    },
  });
  return { quotas, asked, used, near };
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

describe('a quota of relayed calls or of imported bytes', () => {
  it('refuses what would pass it, says how long to wait, and counts nothing that was given back', async () => {
    const { quotas } = stage({ relays_per_day: 2, import_bytes_per_month: 1_000 });
    const settled = async () => {
      for (let turn = 0; turn < 4; turn += 1) await Promise.resolve();
    };
    quotas.take(organizationId, 'relays', 1);
    await settled();
    expect(quotas.take(organizationId, 'import_bytes', 1_001)).toMatchObject({
      kind: 'import_bytes_per_month',
      retryAfter: 30,
    });
    expect(quotas.take(organizationId, 'import_bytes', 1_000)).toBeUndefined();
    expect(quotas.take(organizationId, 'relays', 1)).toBeUndefined();
    const over = quotas.take(organizationId, 'relays', 1);
    expect(over).toEqual({ kind: 'relays_per_day', most: 2, retryAfter: 30 });
    expect(over && quotaFailure(over)).toMatchObject({ code: 'RATE_LIMITED', retryAfter: 30 });
    expect(quotas.take(organizationId, 'relays', -1)).toBeUndefined();
    expect(quotas.take(organizationId, 'relays', 1)).toBeUndefined();
    expect(quotas.takeCall(organizationId, true)).toBeUndefined();
    await quotas.stop();
  });

  it('of what is asked seldom holds from the moment at which it is set, and counts in use of this process', async () => {
    const { quotas, used } = stage({ import_bytes_per_month: 1_000 });
    const scope = { organizationId };
    expect(await quotas.takeNow(scope, 'import_bytes', 1_001)).toMatchObject({ most: 1_000 });
    expect(await quotas.takeNow(scope, 'import_bytes', 600)).toBeUndefined();
    expect(await quotas.takeNow(scope, 'import_bytes', 600)).toMatchObject({ most: 1_000 });
    await quotas.stop();
    expect(used.import_bytes_per_month).toBe(600);
  });

  it('is told at four fifths, once', async () => {
    const { quotas, near } = stage({ relays_per_day: 10, sellers: 100 });
    for (let call = 0; call < 7; call += 1) quotas.take(organizationId, 'relays', 1);
    await quotas.stop();
    expect(near).toEqual([]);
    quotas.take(organizationId, 'relays', 1);
    await quotas.stop();
    quotas.take(organizationId, 'relays', 1);
    await quotas.stop();
    expect(near).toEqual(['relays_per_day 8 of 10 in 2026-11-30']);
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
