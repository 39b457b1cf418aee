import { describe, expect, it } from '@jest/globals';
import { seededRandom } from './seeded-random.js';

describe('seeded chance', () => {
  it('repeats for the same seed and differs for another', () => {
    const draw = (seed: number) => {
      const random = seededRandom(seed);
      return Array.from({ length: 5 }, () => random.next());
    };
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });

  it('stays within its limits, reaches both ends and makes version 4 UUIDs', () => {
    const random = seededRandom(1);
    const drawn = new Set(Array.from({ length: 200 }, () => random.between(1, 3)));
    expect([...drawn].sort()).toEqual([1, 2, 3]);
    expect(random.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
