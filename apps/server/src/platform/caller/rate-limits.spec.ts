import { describe, expect, it } from '@jest/globals';
import type { Clock } from '@switchyard/values';
import { shareRateLimits } from './share-rate-limits.js';
import { createRateLimits } from './rate-limits.js';
import { readRateSettings } from '../../main/settings/rate-settings.js';
import { readSettings, type Environment } from '../../main/settings/settings.js';

const usualRates = readRateSettings(readSettings({}).settings);

let at = 0;
const clock: Clock = { now: () => at, after: () => () => undefined };
const limits = () => createRateLimits({ ...usualRates, writes: { perSecond: 2, burst: 3 } }, clock);

describe('a budget of requests', () => {
  it('allows a burst, then returns the time to wait, and applies again after that', () => {
    const { take } = limits();
    const taken = Array.from({ length: 4 }, () => take('principal:a', 'write'));
    expect(taken).toEqual([undefined, undefined, undefined, { retryAfter: 1, limit: 3, windowSeconds: 2 }]);
    at += 1000;
    expect([1, 2, 3].map(() => take('principal:a', 'write') === undefined)).toEqual([true, true, false]);
  });

  it('is separate for each principal and each kind: no use of one reduces another', () => {
    const { take } = limits();
    for (let turn = 0; turn < 100; turn += 1) take('principal:a', 'write');
    expect(take('principal:a', 'write')).toBeDefined();
    expect(take('principal:b', 'write')).toBeUndefined();
    expect(take('principal:a', 'read')).toBeUndefined();
  });

  it('is shared by reads and writes as well: once it is used up both are refused, and neither loses its own', () => {
    const common = {
      ...usualRates,
      writes: { perSecond: 0.001, burst: 10 },
      combined: { perSecond: 1, burst: 4 },
    };
    const { take } = createRateLimits(common, clock);
    const kinds = ['read', 'write', 'read', 'write', 'read', 'write'] as const;
    const received = kinds.map((kind) => take('principal:a', kind));
    const refused = { retryAfter: 1, limit: 4, windowSeconds: 4 };
    expect(received).toEqual([undefined, undefined, undefined, undefined, refused, refused]);
    expect(take('principal:b', 'write')).toBeUndefined();
    // What the common budget refuses comes out of no other: of ten writes only two are gone.
    for (let turn = 0; turn < 1_000; turn += 1) take('principal:a', 'write');
    at += 4_000;
    const after = Array.from({ length: 4 }, () => take('principal:a', 'write'));
    expect(after).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('refuses by the smaller of both, and a write that has to wait uses nothing of reads', () => {
    const tight = {
      ...usualRates,
      writes: { perSecond: 1, burst: 1 },
      combined: { perSecond: 1, burst: 3 },
    };
    const { take } = createRateLimits(tight, clock);
    expect(take('principal:a', 'write')).toBeUndefined();
    for (let turn = 0; turn < 50; turn += 1) expect(take('principal:a', 'write')).toBeDefined();
    expect([take('principal:a', 'read'), take('principal:a', 'read')]).toEqual([undefined, undefined]);
    expect(take('principal:a', 'read')).toMatchObject({ limit: 3 });
  });

  it('is refilled by returned requests, also the shared budget, and never above its burst', () => {
    const tight = {
      ...usualRates,
      writes: { perSecond: 0.001, burst: 2 },
      combined: { perSecond: 0.001, burst: 3 },
    };
    const { take, giveBack } = createRateLimits(tight, clock);
    const passes = (kind: 'read' | 'write'): boolean => take('principal:a', kind) === undefined;
    expect([passes('read'), passes('read'), passes('read'), passes('read')]).toEqual([
      true,
      true,
      true,
      false,
    ]);
    giveBack('principal:a', 'read');
    expect([passes('write'), passes('write')]).toEqual([true, false]);
    for (let turn = 0; turn < 20; turn += 1) giveBack('principal:a', 'write');
    expect([1, 2, 3].map(() => passes('write'))).toEqual([true, true, false]);
  });

  it('of callers without credentials is that of their address, and smaller', () => {
    const { take } = limits();
    const let_in = Array.from({ length: 2000 }, () => take('address:192.0.2.1', 'read')).filter(
      (refusal) => !refusal,
    );
    expect(let_in).toHaveLength(usualRates.public.burst);
    expect(take('address:192.0.2.2', 'read')).toBeUndefined();
  });

  it('does not change when the clock is set back', () => {
    const { take } = limits();
    for (let turn = 0; turn < 3; turn += 1) take('principal:a', 'write');
    at -= 3_600_000;
    expect(take('principal:a', 'write')).toMatchObject({ retryAfter: 1 });
  });

  it('is read from the environment, and the shared one is at least as large as each other one', () => {
    const ratesOf = (env: Environment) => readRateSettings(readSettings(env).settings);
    expect(ratesOf({ SWITCHYARD_RATE_READS: '5/50' })).toEqual({
      ...usualRates,
      reads: { perSecond: 5, burst: 50 },
    });
    expect(ratesOf({ SWITCHYARD_RATE_COMBINED: '7/70' }).combined).toEqual({ perSecond: 7, burst: 70 });
    expect(ratesOf({ SWITCHYARD_RATE_WRITES: '1000/10000' }).combined).toEqual({
      perSecond: 1000,
      burst: 10_000,
    });
  });
});

describe('limits over several processes', () => {
  /** Delivers at once. */
  function exchange() {
    const takers: ((text: string) => void)[] = [];
    return {
      isDown: false,
      publish(_topic: string, text: string) {
        if (!this.isDown) for (const take of takers) take(text);
      },
      subscribe: (_topic: string, take: (text: string) => void) => void takers.push(take),
    };
  }
  const settings = { ...usualRates, writes: { perSecond: 2, burst: 10 } };
  const shared = (bus: ReturnType<typeof exchange>) => {
    const told: (() => void)[] = [];
    const waiting: Clock = { now: () => at, after: (_ms, then) => (told.push(then), () => undefined) };
    const limits = shareRateLimits(settings, waiting, bus);
    return {
      take: () => limits.take('principal:a', 'write') === undefined,
      limits,
      tell: () => told.splice(0).forEach((then) => then()),
    };
  };

  it('grant a budget once for all of them, and take back what several granted at the same moment', () => {
    const bus = exchange();
    const [one, other] = [shared(bus), shared(bus)];
    expect(Array.from({ length: 10 }, one.take)).not.toContain(false);
    one.tell();
    expect(other.take()).toBe(false);
    at += 1_000;
    expect([one.take(), other.take(), one.take(), other.take()]).toEqual([true, true, true, true]);
    for (const { tell } of [one, other]) tell();
    at += 1_000;
    // Two were granted twice: they are owed now.
    expect([one.take(), other.take()]).toEqual([false, false]);
    at += 1_000;
    expect([one.take(), other.take()]).toEqual([true, true]);
  });

  it('go on alone while nothing is exchanged, each with its own budget', () => {
    const bus = exchange();
    bus.isDown = true;
    const [one, other] = [shared(bus), shared(bus)];
    for (const { take, tell } of [one, other]) {
      expect(Array.from({ length: 11 }, take)).toEqual([...Array.from({ length: 10 }, () => true), false]);
      tell();
    }
  });

  it('tell nothing of what was given back, and read nothing that is no message', () => {
    const bus = exchange();
    const [one, other] = [shared(bus), shared(bus)];
    one.take();
    one.limits.giveBack('principal:a', 'write');
    one.tell();
    for (const text of [
      '',
      '{',
      '{"from":"x","taken":[["write principal:a",1e9]]}',
      '[]',
      '{"from":"x","taken":[["x",1]]}',
    ])
      bus.publish('rates', text);
    expect(Array.from({ length: 10 }, other.take)).not.toContain(false);
  });
});
