import { describe, expect, it } from '@jest/globals';
import { inSlices, nextTurn } from './next-turn.js';

describe('turns of the event loop', () => {
  it('let one waiter go on in each of them, in the order in which they came', async () => {
    let turn = 0;
    let isDone = false;
    const count = (): void => {
      turn += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const seen = await Promise.all(
      ['a', 'b', 'c'].map(async (name) => {
        await nextTurn();
        return { name, turn };
      }),
    );
    isDone = true;
    const [first = 0] = seen.map((one) => one.turn);
    expect(seen).toEqual([
      { name: 'a', turn: first },
      { name: 'b', turn: first + 1 },
      { name: 'c', turn: first + 2 },
    ]);
  });
});

describe('work in slices', () => {
  it('is done in order, with others between slices and never within one', async () => {
    const seen: (number | string)[] = [];
    let isDone = false;
    const other = (): void => {
      if (isDone) return;
      seen.push('other');
      setImmediate(other);
    };
    setImmediate(other);
    await inSlices(
      [1, 2, 3, 4, 5],
      2,
      () => 1,
      (item) => seen.push(item),
    );
    isDone = true;
    const works = seen.join(' ').replace(/(?:other ?)+/g, '| ');
    expect(works).toBe('1 2 | 3 4 | 5');
  });

  it('is done at once where it is little', () => {
    const seen: number[] = [];
    void inSlices(
      [1, 2],
      2,
      () => 1,
      (item) => seen.push(item),
    );
    expect(seen).toEqual([1, 2]);
  });
});
