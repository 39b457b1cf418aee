import { describe, expect, it } from '@jest/globals';
import { testClock, type TestClock } from '@switchyard/testing';
import { createAdmission, type Admission, type AdmissionSettings, type Turn } from './admission.js';

const usual: AdmissionSettings = { most: 4, first: 4, perCaller: 2, waiting: 8, waitMs: 1_000 };

/** One that asks for a turn, and what it has come to. */
interface Caller {
  readonly caller: string;
  turn?: Turn;
  refused?: 'caller' | 'all';
  retryAfter?: number;
  leave(): void;
}

interface Stage {
  /** How busy the event loop is from now on. */
  readonly busy: (share: number) => void;
  readonly clock: TestClock;
  readonly admission: Admission;
  readonly ask: (caller: string, bytes?: number) => Promise<Caller>;
}

function stage(settings: Partial<AdmissionSettings> = {}): Stage {
  const clock = testClock();
  let share = 0;
  const admission = createAdmission({ ...usual, ...settings }, { clock, busyShare: () => share });
  return {
    busy: (next) => {
      share = next;
    },
    clock,
    admission,
    ask: async (caller, bytes = 0) => {
      const gone = new AbortController();
      const requested: Caller = { caller, leave: () => gone.abort() };
      void admission.enter({ caller, bytes, signal: gone.signal }).then((entered) => {
        if (entered.ok) requested.turn = entered.value;
        else Object.assign(requested, { refused: entered.error.scope, retryAfter: entered.error.retryAfter });
      });
      await settled();
      return requested;
    },
  };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function end(request: Caller | undefined): Promise<void> {
  if (request?.turn === undefined) throw new Error('It has no turn.');
  request.turn.end();
  await settled();
}

describe('turns', () => {
  it('are given at once while there is room, per caller and in total', async () => {
    const { ask, admission } = stage();
    const requested = [await ask('a'), await ask('a'), await ask('a'), await ask('b'), await ask('c')];
    expect(requested.map(({ turn }) => turn !== undefined)).toEqual([true, true, false, true, true]);
    expect((await ask('d')).turn).toBeUndefined();
    expect(admission.counts()).toEqual({ active: 4, waiting: 2 });
  });

  it('go first to the caller with the least work, so that a caller with many requests delays only itself', async () => {
    const { ask } = stage({ most: 2, first: 2 });
    const noisy = [await ask('noisy'), await ask('noisy'), await ask('noisy'), await ask('noisy')].slice(
      0,
      2,
    );
    const quiet = await ask('quiet');
    await end(noisy[0]);
    expect(quiet.turn).toBeDefined();
  });

  it('go to each of many callers in the order of arrival', async () => {
    const { ask } = stage({ most: 1, first: 1 });
    const first = await ask('0');
    const others: Caller[] = [];
    for (const caller of ['1', '2', '3', '4']) others.push(await ask(caller));
    let served = first;
    const order: string[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      await end(served);
      served =
        others.find((request) => request.turn !== undefined && !order.includes(request.caller)) ?? served;
      order.push(served.caller);
    }
    expect(order).toEqual(['1', '2', '3', '4']);
  });

  it('count for the caller once it is known', async () => {
    const { ask } = stage();
    const first = await ask('address:1');
    first.turn?.belongsTo('principal');
    await ask('principal');
    expect((await ask('principal')).turn).toBeUndefined();
    expect((await ask('address:1')).turn).toBeDefined();
  });

  it('count as ended once if they are ended twice', async () => {
    const { ask, admission } = stage();
    const request = await ask('a');
    await ask('b');
    await end(request);
    await end(request);
    expect(admission.counts().active).toBe(1);
  });
});

describe('a request without a place to wait', () => {
  it('is refused at once: for a caller with its share of the places, and for everybody when all are taken', async () => {
    const { ask } = stage({ most: 1, first: 1 });
    await ask('a');
    const own = [await ask('a'), await ask('a'), await ask('a')];
    expect(own.map(({ refused }) => refused)).toEqual([undefined, undefined, 'caller']);
    for (const caller of ['b', 'c', 'd', 'e', 'f', 'g']) expect((await ask(caller)).refused).toBeUndefined();
    const late = await ask('h');
    expect(late.refused).toBe('all');
    expect(late.retryAfter).toBeGreaterThanOrEqual(1);
  });

  it('is refused when waiting requests would use too much memory', async () => {
    const { ask } = stage({ most: 1, first: 1 });
    await ask('a');
    await ask('b', 60 * 1024 * 1024);
    expect((await ask('c', 5 * 1024 * 1024)).refused).toBe('all');
    expect((await ask('d', 1024)).refused).toBeUndefined();
  });

  it('is refused after the longest wait, and leaves its place', async () => {
    const { ask, clock, admission } = stage({ most: 1, first: 1 });
    await ask('a');
    const waiting = await ask('b');
    clock.advance(1_000);
    await settled();
    expect(waiting.refused).toBe('all');
    expect(admission.counts()).toEqual({ active: 1, waiting: 0 });
  });

  it('leaves its place when its caller disconnects', async () => {
    const { ask, admission } = stage({ most: 1, first: 1 });
    const first = await ask('a');
    const waiting = await ask('b');
    waiting.leave();
    await end(first);
    expect(waiting.turn).toBeUndefined();
    expect(admission.counts()).toEqual({ active: 0, waiting: 0 });
  });
});

describe('the number of turns', () => {
  it('grows while the event loop has room, up to the maximum', async () => {
    const { ask, clock, admission } = stage({ most: 6, first: 2 });
    for (const caller of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) await ask(caller);
    expect(admission.counts().active).toBe(2);
    clock.advance(500);
    expect(admission.counts()).toEqual({ active: 6, waiting: 2 });
  });

  it('grows for one caller in a loop that is too busy for several callers', async () => {
    const grownFor = async (callers: readonly string[]): Promise<number> => {
      const { ask, busy, clock, admission } = stage({ most: 6, first: 2, perCaller: 6, waiting: 40 });
      busy(0.7);
      for (let at = 0; at < 8; at += 1) await ask(callers[at % callers.length] ?? '');
      clock.advance(1_000);
      return admission.counts().active;
    };
    expect(await grownFor(['a'])).toBe(6);
    expect(await grownFor(['a', 'b'])).toBeLessThan(6);
  });

  it.each([
    ['two', { first: 2 }, 2],
    ['the fewest of its settings', { first: 4, fewest: 4 }, 4],
  ])('shrinks while the event loop is busy, to %s', async (_name, settings, fewest) => {
    const { ask, busy, clock, admission } = stage({ most: 6, ...settings, waiting: 20, waitMs: 60_000 });
    const requested: Caller[] = [];
    for (let at = 0; at < 20; at += 1) requested.push(await ask(`caller ${at}`));
    clock.advance(500);
    expect(admission.counts()).toEqual({ active: 6, waiting: 14 });
    busy(1);
    for (const request of requested.slice(0, 10)) {
      await end(request);
      clock.advance(500);
    }
    expect(admission.counts().active).toBe(fewest);
  });
});
