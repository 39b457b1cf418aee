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

describe('a transaction that waited in a circle', () => {
  it('is run again until it is through', async () => {
    const { runs, work } = failing(3, deadlock);
    expect([await retryDeadlock(work), runs.count]).toEqual(['stored', 4]);
  });

  it('is given up after four times', async () => {
    const { runs, work } = failing(9, deadlock);
    await expect(retryDeadlock(work)).rejects.toThrow('deadlock');
    expect(runs.count).toBe(4);
  });

  it('is run once where it failed of anything else', async () => {
    const { runs, work } = failing(1, () => new Error('unique violation'));
    await expect(retryDeadlock(work)).rejects.toThrow('unique');
    expect(runs.count).toBe(1);
  });
});
