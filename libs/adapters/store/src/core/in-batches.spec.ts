import { describe, expect, it } from '@jest/globals';
import { inBatches } from './in-batches.js';

interface Run {
  readonly asks: readonly string[];
  answer(): void;
  fail(error: Error): void;
}

/** A database whose statements end when the test says so. */
function held() {
  const runs: Run[] = [];
  const run = (asks: readonly string[]): Promise<readonly string[]> =>
    new Promise((resolve, reject) => {
      runs.push({ asks, answer: () => resolve(asks.map((ask) => `${ask}!`)), fail: reject });
    });
  return { runs, run };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const refusal = (code: string): Error => Object.assign(new Error(code), { code });

describe('inBatches', () => {
  it('sends the first ask at once and alone, and together what came meanwhile', async () => {
    const { runs, run } = held();
    const ask = inBatches(run, { most: 10, lanes: 1 });
    const told = Promise.all(['a', 'b', 'c'].map(ask));
    expect(runs.map(({ asks }) => asks)).toEqual([['a']]);
    runs[0]?.answer();
    await settled();
    expect(runs.map(({ asks }) => asks)).toEqual([['a'], ['b', 'c']]);
    runs[1]?.answer();
    expect(await told).toEqual(['a!', 'b!', 'c!']);
  });

  it('keeps to its bounds: so many in a statement, a power of two, and so many statements at once', async () => {
    const { runs, run } = held();
    const ask = inBatches(run, { most: 3, lanes: 2 });
    const told = Promise.all(['a', 'b', 'c', 'd', 'e'].map(ask));
    expect(runs.map(({ asks }) => asks)).toEqual([['a'], ['b']]);
    runs[1]?.answer();
    await settled();
    expect(runs.map(({ asks }) => asks)).toEqual([['a'], ['b'], ['c', 'd']]);
    runs[0]?.answer();
    await settled();
    expect(runs[3]?.asks).toEqual(['e']);
    runs[2]?.answer();
    runs[3]?.answer();
    expect(await told).toEqual(['a!', 'b!', 'c!', 'd!', 'e!']);
  });

  it('never puts asks of two groups into one statement, and lets neither wait for the other', async () => {
    const { runs, run } = held();
    const ask = inBatches(run, { groupOf: (one: string) => one[0] ?? '', most: 10, lanes: 1 });
    const told = Promise.all(['a1', 'b1', 'a2', 'b2', 'a3'].map(ask));
    expect(runs.map(({ asks }) => asks)).toEqual([['a1'], ['b1']]);
    runs[1]?.answer();
    await settled();
    expect(runs[2]?.asks).toEqual(['b2']);
    runs[0]?.answer();
    runs[2]?.answer();
    await settled();
    expect(runs[3]?.asks).toEqual(['a2', 'a3']);
    runs[3]?.answer();
    expect(await told).toEqual(['a1!', 'b1!', 'a2!', 'b2!', 'a3!']);
  });

  it('makes one bad row cost nobody else', async () => {
    const runs: (readonly string[])[] = [];
    const ask = inBatches(
      async (asks: readonly string[]) => {
        runs.push(asks);
        await settled();
        if (asks.includes('bad')) throw refusal('22P05');
        return asks;
      },
      { most: 10, lanes: 1 },
    );
    const told = await Promise.allSettled(['first', 'a', 'bad', 'b'].map(ask));
    expect(told.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(runs).toEqual([['first'], ['a', 'bad'], ['a'], ['bad'], ['b']]);
  });

  it('tells everybody when the database itself fails, asks it no second time, and goes on afterwards', async () => {
    const { runs, run } = held();
    const ask = inBatches(run, { most: 10, lanes: 1 });
    const told = Promise.allSettled(['a', 'b', 'c'].map(ask));
    runs[0]?.answer();
    await settled();
    runs[1]?.fail(refusal('57P01'));
    expect((await told).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(runs).toHaveLength(2);
    const later = ask('d');
    runs[2]?.answer();
    expect(await later).toBe('d!');
  });
});
