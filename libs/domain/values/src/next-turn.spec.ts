import { describe, expect, it } from '@jest/globals';
import { atOnce, fairTurn, inTurns, nextTurn, slicesOf } from './next-turn.js';

/** Counts the turns of the event loop until it is stopped. */
function countTurns() {
  let turn = 0;
  let isStopped = false;
  const count = (): void => {
    turn += 1;
    if (!isStopped) setImmediate(count);
  };
  setImmediate(count);
  return { now: () => turn, stop: () => void (isStopped = true) };
}

describe('turns of the event loop', () => {
  it('let one waiting call continue in each of them, in order of arrival', async () => {
    const turns = countTurns();
    const seen = await Promise.all(
      ['a', 'b', 'c'].map(async (name) => {
        await nextTurn();
        return { name, turn: turns.now() };
      }),
    );
    turns.stop();
    const [first = 0] = seen.map((one) => one.turn);
    expect(seen).toEqual([
      { name: 'a', turn: first },
      { name: 'b', turn: first + 1 },
      { name: 'c', turn: first + 2 },
    ]);
  });
});

describe('costly steps that become ready together', () => {
  /** Runs them all at once, and says in which turn each ran. */
  async function turnsOf(
    steps: readonly (() => void)[],
    lineOf = (_at: number) => 'a',
  ): Promise<readonly number[]> {
    const turns = countTurns();
    const ran = await Promise.all(
      steps.map(async (step, at) => {
        await fairTurn(lineOf(at));
        const began = turns.now();
        step();
        return began;
      }),
    );
    turns.stop();
    return ran;
  }
  const busyFor = (ms: number) => (): void => {
    const until = performance.now() + ms;
    while (performance.now() < until);
  };

  it('share one turn while they are cheap', async () => {
    expect(new Set(await turnsOf(Array.from({ length: 50 }, () => () => undefined))).size).toBeLessThan(5);
  });

  it('are spread over turns, in order, so that others are served between them', async () => {
    const turns = await turnsOf(Array.from({ length: 6 }, () => busyFor(12)));
    expect(turns).toEqual(turns.toSorted((one, other) => one - other));
    expect(new Set(turns).size).toBe(6);
  });

  it('of a quiet line come before the waiting ones of a busy line', async () => {
    const turns = await turnsOf(
      Array.from({ length: 8 }, () => busyFor(12)),
      (at) => (at === 7 ? 'quiet' : 'busy'),
    );
    expect(turns.filter((turn) => turn < turns[7]!)).toHaveLength(1);
  });
});

describe('work in slices', () => {
  function* work(seen: unknown[]): Generator<void, string> {
    for (const { items } of slicesOf([1, 2, 3, 4, 5], 2, () => 1)) {
      seen.push(...items);
      yield;
    }
    return 'done';
  }

  it('is done in order, with other work between the slices and none within one', async () => {
    const seen: unknown[] = [];
    let isDone = false;
    const other = (): void => {
      seen.push('other');
      if (!isDone) setImmediate(other);
    };
    setImmediate(other);
    expect(await inTurns(work(seen))).toBe('done');
    isDone = true;
    expect(seen.join(' ').replace(/(?:other ?)+/g, '| ')).toMatch(/^1 2 \| 3 4 \| 5 \|/);
  });

  it('is the same work if it runs without slices', () => {
    const seen: unknown[] = [];
    expect(atOnce(work(seen))).toBe('done');
    expect(seen).toEqual([1, 2, 3, 4, 5]);
  });

  it('has an item that is heavier than a slice in a slice of its own', () => {
    expect([...slicesOf([1, 9, 1, 2, 1], 3, (item) => item)]).toEqual([
      { items: [1], weight: 1 },
      { items: [9], weight: 9 },
      { items: [1, 2], weight: 3 },
      { items: [1], weight: 1 },
    ]);
  });
});
