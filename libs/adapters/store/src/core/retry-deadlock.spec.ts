import { describe, expect, it } from '@jest/globals';
import { retryDeadlock } from './retry-deadlock.js';

const deadlock = () => Object.assign(new Error('deadlock detected'), { code: '40P01' });

function failing(times: number, error: () => Error) {
  const runs = { count: 0 };
  const work = () => {
    runs.count += 1;
    return runs.count <= times ? Promise.reject(error()) : Promise.resolve('stored');
  };
  return { runs, work };
}

describe('a transaction that deadlocked', () => {
  it('is retried until it succeeds', async () => {
    const { runs, work } = failing(3, deadlock);
    expect([await retryDeadlock(work), runs.count]).toEqual(['stored', 4]);
  });

  it('is retried too if a statement of Prisma met the deadlock', async () => {
    const { runs, work } = failing(1, () => Object.assign(new Error('deadlock'), { code: 'P2034' }));
    expect([await retryDeadlock(work), runs.count]).toEqual(['stored', 2]);
  });

  it('fails after four attempts', async () => {
    const { runs, work } = failing(9, deadlock);
    await expect(retryDeadlock(work)).rejects.toThrow('deadlock');
    expect(runs.count).toBe(4);
  });

  it('is not retried after another error', async () => {
    const { runs, work } = failing(1, () => new Error('unique violation'));
    await expect(retryDeadlock(work)).rejects.toThrow('unique');
    expect(runs.count).toBe(1);
  });
});
