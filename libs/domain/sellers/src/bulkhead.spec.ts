import { describe, expect, it } from '@jest/globals';
import type { Clock } from '@switchyard/values';
import { Bulkhead, type PlaceRequest } from './bulkhead.js';

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** `@switchyard/testing`, which has a clock, depends on this library. */
function manualClock(): Clock & { readonly advance: (ms: number) => void } {
  const timers = new Set<{ readonly at: number; readonly then: () => void }>();
  let now = 0;
  return {
    now: () => now,
    after: (delayMs, then) => {
      const timer = { at: now + delayMs, then };
      timers.add(timer);
      return () => {
        timers.delete(timer);
      };
    },
    advance: (ms) => {
      now += ms;
      for (const timer of [...timers].filter(({ at }) => at <= now)) {
        timers.delete(timer);
        timer.then();
      }
    },
  };
}

describe('a bulkhead', () => {
  const clock = manualClock();
  const request = (caller: string, change: Partial<PlaceRequest> = {}): PlaceRequest => ({
    organizationId: 'acme',
    connectionId: 'one',
    caller,
    maxWaitMs: 1_000,
    clock,
    signal: new AbortController().signal,
    ...change,
  });

  /** The callers that got a place, in the order in which they got it, and how each gives it back. */
  function seats(bulkhead: Bulkhead) {
    const served: string[] = [];
    const leaves: (() => void)[] = [];
    const enter = async (caller: string, change: Partial<PlaceRequest> = {}): Promise<boolean> => {
      const leave = await bulkhead.enter(request(caller, change));
      if (leave === undefined) return false;
      served.push(caller);
      leaves.push(leave);
      return true;
    };
    return { enter, served, leaveFirst: () => leaves.shift()?.() };
  }

  it('limits only the calls of one organization at one seller', async () => {
    const { enter, served } = seats(new Bulkhead(2));
    await Promise.all([enter('a'), enter('b')]);
    void enter('late');
    await Promise.all([enter('rival', { organizationId: 'rival' }), enter('other', { connectionId: 'two' })]);
    expect(served).toEqual(['a', 'b', 'rival', 'other']);
  });

  it('gives free places to waiting callers in turn, for any number of calls of one', async () => {
    const { enter, served, leaveFirst } = seats(new Bulkhead(1));
    await enter('first');
    const all = Promise.all(['loud', 'loud', 'loud', 'quiet'].map((caller) => enter(caller)));
    for (let at = 0; at < 5; at += 1) {
      leaveFirst();
      await settle();
    }
    await all;
    expect(served).toEqual(['first', 'loud', 'quiet', 'loud', 'loud']);
  });

  it('refuses a call when its wait ends or its caller disconnects, and never gives its place twice', async () => {
    const { enter, served, leaveFirst } = seats(new Bulkhead(1));
    const gone = new AbortController();
    await enter('first');
    const tooLate = enter('a');
    const left = enter('b', { signal: gone.signal });
    const last = enter('a', { maxWaitMs: 2_000 });
    gone.abort();
    clock.advance(1_000);
    expect(await Promise.all([tooLate, left])).toEqual([false, false]);
    leaveFirst();
    expect(await last).toBe(true);
    leaveFirst();
    await enter('next');
    expect(served).toEqual(['first', 'a', 'next']);
  });

  it('throws when a place is released twice', async () => {
    const leave = await new Bulkhead(1).enter(request('a'));
    leave?.();
    expect(leave).toThrow();
  });
});
