import { describe, expect, it } from '@jest/globals';
import { lostMembers } from './lost-members.js';

const carriage = {
  each: { prices: 'id' },
  within: ['prices[].guidance'],
  aliases: { 'prices[].rate': ['fixed'] },
  ours: ['prices[].currency'],
};
const fields = (said: object, written: object) =>
  lostMembers(said as never, written as never, carriage).map(({ field }) => field);

describe('what was lost within the items of a list', () => {
  it('is told by its path, whichever place the item has in what was written', () => {
    const said = {
      prices: [
        { id: 'a', max_bid: true },
        { id: 'b', adjustments: [] },
      ],
    };
    expect(fields(said, { prices: [{ id: 'b' }, { id: 'a' }] })).toEqual([
      'prices[].max_bid',
      'prices[].adjustments',
    ]);
  });

  it('is not what another name carries, and not what we see to ourselves', () => {
    const said = { prices: [{ id: 'a', rate: 5, currency: 'USD' }] };
    expect(fields(said, { prices: [{ id: 'a', fixed: 5 }] })).toEqual([]);
  });

  it('is told of an object within an item member by member', () => {
    const said = { prices: [{ id: 'a', guidance: { p25: 1, p50: 2 } }] };
    expect(fields(said, { prices: [{ id: 'a', guidance: { p25: 1 } }] })).toEqual(['prices[].guidance.p50']);
  });

  it('is not told again of an item that was set aside as a whole, and is the list where that is gone', () => {
    expect(fields({ prices: [{ id: 'a', rate: 5 }] }, { prices: [{ id: 'b' }] })).toEqual([]);
    expect(fields({ prices: [{ id: 'a', rate: 5 }] }, {})).toEqual(['prices']);
  });
});
