import { describe, expect, it } from '@jest/globals';
import { testClock } from '@switchyard/testing';
import { fanOut, type LegOutcome } from './fan-out.js';
import type { LegReport } from './fan-out.js';

interface Leg {
  readonly seller: string;
}

const answered = (items: number): LegReport<string> => ({
  status: 'answered',
  reason: `${items} items.`,
  items,
  value: 'answer',
});
const legsOf = (...sellers: string[]): Leg[] => sellers.map((seller) => ({ seller }));
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A market whose sellers answer when the test calls them. */
function market() {
  const clock = testClock();
  const waiting = new Map<string, (report: LegReport<string>) => void>();
  const signals = new Map<string, AbortSignal>();
  const request = ({ seller }: Leg, signal: AbortSignal): Promise<LegReport<string>> => {
    signals.set(seller, signal);
    return new Promise((resolve) => waiting.set(seller, resolve));
  };
  return { clock, request, signals, answer: (seller: string) => waiting.get(seller)?.(answered(1)) };
}

describe('a fan-out', () => {
  it('returns when every leg has settled, in the order of the legs', async () => {
    const { clock, request, answer } = market();
    const running = fanOut({ legs: legsOf('a', 'b'), query: request, deadlineMs: 1_000, clock });
    clock.advance(30);
    answer('b');
    await tick();
    clock.advance(20);
    answer('a');
    expect((await running).map(({ row }) => row)).toEqual([
      { seller: 'a', status: 'answered', reason: '1 items.', elapsed_ms: 50, items: 1 },
      { seller: 'b', status: 'answered', reason: '1 items.', elapsed_ms: 30, items: 1 },
    ]);
  });

  it('returns at the deadline with the results so far and a row for each slow seller', async () => {
    const { clock, request, answer, signals } = market();
    const running = fanOut({ legs: legsOf('quick', 'hung'), query: request, deadlineMs: 1_000, clock });
    answer('quick');
    await tick();
    clock.advance(1_000);
    const outcomes = await running;
    expect(outcomes.map(({ row }) => [row.seller, row.status, row.code])).toEqual([
      ['quick', 'answered', undefined],
      ['hung', 'slow', 'DEADLINE'],
    ]);
    expect(signals.get('hung')?.aborted).toBe(true);
    expect(signals.get('quick')?.aborted).toBe(false);
  });

  it('ends early once only legs are open that need not be waited for, and reports each of them by itself', async () => {
    const { clock, request, answer, signals } = market();
    const late = new Set(['hung', 'slow']);
    const later = ({ seller }: Leg): LegReport<string> => ({
      ...answered(0),
      reason: `${seller} comes later.`,
    });
    const running = fanOut({
      legs: legsOf('quick', 'hung', 'usual', 'slow'),
      query: request,
      deadlineMs: 10_000,
      clock,
      early: (open) => (open.every(({ seller }) => late.has(seller)) ? later : undefined),
    });
    answer('quick');
    await tick();
    answer('usual');
    const outcomes = await running;
    expect(outcomes.map(({ row }) => [row.seller, row.reason])).toEqual([
      ['quick', '1 items.'],
      ['hung', 'hung comes later.'],
      ['usual', '1 items.'],
      ['slow', 'slow comes later.'],
    ]);
    expect([...signals].filter(([, { aborted }]) => aborted).map(([seller]) => seller)).toEqual([
      'hung',
      'slow',
    ]);
  });

  it('gives every leg its own abort signal', async () => {
    const { clock, request, answer, signals } = market();
    const running = fanOut({ legs: legsOf('a', 'b'), query: request, deadlineMs: 10, clock });
    expect(signals.get('a')).not.toBe(signals.get('b'));
    answer('a');
    answer('b');
    await running;
  });

  it('is unaffected by a leg that rejects, throws, or answers after the deadline', async () => {
    const clock = testClock();
    let late: (report: LegReport<string>) => void = () => undefined;
    const request = ({ seller }: Leg): Promise<LegReport<string>> => {
      if (seller === 'throws') throw new Error('at once');
      if (seller === 'rejects') return Promise.reject(new Error('a moment later'));
      if (seller === 'late') return new Promise((resolve) => (late = resolve));
      return Promise.resolve(answered(2));
    };
    const running = fanOut({
      legs: legsOf('throws', 'rejects', 'late', 'good'),
      query: request,
      deadlineMs: 50,
      clock,
    });
    await tick();
    clock.advance(50);
    const outcomes = await running;
    late(answered(9));
    await tick();
    expect(outcomes.map(({ row }) => [row.seller, row.status, row.items])).toEqual([
      ['throws', 'failed', 0],
      ['rejects', 'failed', 0],
      ['late', 'slow', 0],
      ['good', 'answered', 2],
    ]);
  });

  it('reports each leg once, as it settles, even if the listener throws', async () => {
    const { clock, request, answer } = market();
    const received: [string, number, number][] = [];
    const onSettled = ({ row }: LegOutcome<Leg, string>, settled: number, total: number): void => {
      received.push([row.seller, settled, total]);
      throw new Error('the screen is gone');
    };
    const running = fanOut({
      legs: legsOf('a', 'b', 'c'),
      query: request,
      deadlineMs: 100,
      clock,
      onSettled,
    });
    answer('c');
    await tick();
    answer('a');
    await tick();
    clock.advance(100);
    await running;
    expect(received).toEqual([
      ['c', 1, 3],
      ['a', 2, 3],
      ['b', 3, 3],
    ]);
  });

  it('stops when the caller has disconnected, before or during the query', async () => {
    for (const before of [true, false]) {
      const { clock, request, signals } = market();
      const caller = new AbortController();
      if (before) caller.abort();
      const running = fanOut({
        legs: legsOf('a'),
        query: request,
        deadlineMs: 100,
        clock,
        signal: caller.signal,
      });
      caller.abort();
      expect((await running).map(({ row }) => row.code)).toEqual(['CALLER_GONE']);
      expect(signals.get('a')?.aborted ?? true).toBe(true);
    }
  });

  it('returns at once without legs', async () => {
    const { clock, request } = market();
    expect(await fanOut({ legs: [], query: request, deadlineMs: 100, clock })).toEqual([]);
  });
});
