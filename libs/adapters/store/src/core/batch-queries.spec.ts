import { describe, expect, it } from '@jest/globals';
import { batchQueries } from './batch-queries.js';

interface Run {
  readonly queries: readonly string[];
  answer(): void;
  fail(error: Error): void;
}

/** A database whose statements end when the test says so. */
function held() {
  const runs: Run[] = [];
  const run = (queries: readonly string[]): Promise<readonly string[]> =>
    new Promise((resolve, reject) => {
      runs.push({ queries, answer: () => resolve(queries.map((query) => `${query}!`)), fail: reject });
    });
  return { runs, run };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const refusal = (code: string): Error => Object.assign(new Error(code), { code });

describe('batchQueries', () => {
  it('sends the first query at once and alone, and later ones together', async () => {
    const { runs, run } = held();
    const query = batchQueries(run, { most: 10, lanes: 1 });
    const received = Promise.all(['a', 'b', 'c'].map(query));
    expect(runs.map(({ queries }) => queries)).toEqual([['a']]);
    runs[0]?.answer();
    await settled();
    expect(runs.map(({ queries }) => queries)).toEqual([['a'], ['b', 'c']]);
    runs[1]?.answer();
    expect(await received).toEqual(['a!', 'b!', 'c!']);
  });

  it('limits the queries of a statement, a power of two, and the statements at once', async () => {
    const { runs, run } = held();
    const query = batchQueries(run, { most: 3, lanes: 2 });
    const received = Promise.all(['a', 'b', 'c', 'd', 'e'].map(query));
    expect(runs.map(({ queries }) => queries)).toEqual([['a'], ['b']]);
    runs[1]?.answer();
    await settled();
    expect(runs.map(({ queries }) => queries)).toEqual([['a'], ['b'], ['c', 'd']]);
    runs[0]?.answer();
    await settled();
    expect(runs[3]?.queries).toEqual(['e']);
    runs[2]?.answer();
    runs[3]?.answer();
    expect(await received).toEqual(['a!', 'b!', 'c!', 'd!', 'e!']);
  });

  it('sends all queries of one turn of the event loop together, of any number, where it gathers them', async () => {
    const { runs, run } = held();
    const query = batchQueries(run, { most: 3, lanes: 2, anySize: true, gathers: true });
    const received = Promise.all(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(query));
    expect(runs).toEqual([]);
    await settled();
    expect(runs.map(({ queries }) => queries)).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e', 'f'],
    ]);
    runs[1]?.answer();
    await settled();
    expect(runs[2]?.queries).toEqual(['g']);
    runs[0]?.answer();
    runs[2]?.answer();
    expect(await received).toHaveLength(7);
    const later = query('h');
    await settled();
    runs[3]?.answer();
    expect(await later).toBe('h!');
  });

  it('sends what comes faster than it is answered together after a rest, or when the statement is full', async () => {
    const { runs, run } = held();
    const query = batchQueries(run, { most: 3, lanes: 2, anySize: true, gathers: true, restMs: 20 });
    const received = Promise.all(['a', 'b'].map(query));
    await settled();
    const resting = ['c', 'd'].map(query);
    await settled();
    expect(runs.map(({ queries }) => queries)).toEqual([['a', 'b']]);
    resting.push(query('e'));
    await settled();
    expect(runs[1]?.queries).toEqual(['c', 'd', 'e']);
    runs.forEach((one) => one.answer());
    resting.push(query('f'));
    const last = Promise.all(resting);
    for (let patience = 0; runs.length < 3 && patience < 1e6; patience += 1) await settled();
    expect(runs[2]?.queries).toEqual(['f']);
    runs[2]?.answer();
    expect([...(await received), ...(await last)]).toHaveLength(6);
  });

  it('sends each query at once where each answer is awaited before the next one', async () => {
    const { runs, run } = held();
    const query = batchQueries(run, { most: 3, lanes: 2, gathers: true, restMs: 1e6 });
    for (const one of ['a', 'b', 'c']) {
      const answered = query(one);
      await settled();
      expect(runs.at(-1)?.queries).toEqual([one]);
      runs.at(-1)?.answer();
      await answered;
      await settled();
    }
  });

  it('never mixes two groups in one statement, and lets neither wait for the other', async () => {
    const { runs, run } = held();
    const query = batchQueries(run, { groupOf: (one: string) => one[0] ?? '', most: 10, lanes: 1 });
    const received = Promise.all(['a1', 'b1', 'a2', 'b2', 'a3'].map(query));
    expect(runs.map(({ queries }) => queries)).toEqual([['a1'], ['b1']]);
    runs[1]?.answer();
    await settled();
    expect(runs[2]?.queries).toEqual(['b2']);
    runs[0]?.answer();
    runs[2]?.answer();
    await settled();
    expect(runs[3]?.queries).toEqual(['a2', 'a3']);
    runs[3]?.answer();
    expect(await received).toEqual(['a1!', 'b1!', 'a2!', 'b2!', 'a3!']);
  });

  it('fails only the query of a bad row', async () => {
    const runs: (readonly string[])[] = [];
    const query = batchQueries(
      async (queries: readonly string[]) => {
        runs.push(queries);
        await settled();
        if (queries.includes('bad')) throw refusal('22P05');
        return queries;
      },
      { most: 10, lanes: 1 },
    );
    const received = await Promise.allSettled(['first', 'a', 'bad', 'b'].map(query));
    expect(received.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(runs).toEqual([['first'], ['a', 'bad'], ['a'], ['bad'], ['b']]);
  });

  it('fails all queries when the database fails, does not retry, and continues afterwards', async () => {
    const { runs, run } = held();
    const query = batchQueries(run, { most: 10, lanes: 1 });
    const received = Promise.allSettled(['a', 'b', 'c'].map(query));
    runs[0]?.answer();
    await settled();
    runs[1]?.fail(refusal('57P01'));
    expect((await received).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(runs).toHaveLength(2);
    const later = query('d');
    runs[2]?.answer();
    expect(await later).toBe('d!');
  });
});
