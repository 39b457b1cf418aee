import { describe, expect, it } from '@jest/globals';
import { lostMembers } from './lost-members.js';

const carriage = {
  each: { prices: 'id' },
  aliases: { 'prices[].rate': ['fixed'] },
  ours: ['prices[].currency'],
};
const fields = (reported: object, written: object) =>
  lostMembers(reported as never, written as never, carriage).map(({ field }) => field);

describe('what was lost within the items of a list', () => {
  it('is told by its path, whichever place the item has in what was written', () => {
    const reported = {
      prices: [
        { id: 'a', max_bid: true },
        { id: 'b', adjustments: [{}, 5] },
      ],
    };
    expect(fields(reported, { prices: [{ id: 'b' }, { id: 'a' }] })).toEqual([
      'prices[].max_bid',
      'prices[].adjustments',
    ]);
  });

  it('is not what another name carries, and not what we see to ourselves', () => {
    const reported = { prices: [{ id: 'a', rate: 5, currency: 'USD' }] };
    expect(fields(reported, { prices: [{ id: 'a', fixed: 5 }] })).toEqual([]);
  });

  it('is told of an object within an item member by member', () => {
    const reported = { prices: [{ id: 'a', guidance: { p25: 1, p50: 2 } }] };
    expect(fields(reported, { prices: [{ id: 'a', guidance: { p25: 1 } }] })).toEqual([
      'prices[].guidance.p50',
    ]);
  });

  it('is not told again of an item that was set aside as a whole, and is the list where that is gone', () => {
    expect(fields({ prices: [{ id: 'a', rate: 5 }] }, { prices: [{ id: 'b' }] })).toEqual([]);
    expect(fields({ prices: [{ id: 'a', rate: 5 }] }, {})).toEqual(['prices']);
  });
});

describe('what was lost at any depth', () => {
  const lost = (reported: object, written: object) =>
    lostMembers(reported as never, written as never, {}).map(({ field }) => field);

  it('is told once by the shape of its path, however many items have it', () => {
    const reported = { rows: [{ a: { b: 1, c: [{ d: 1 }, { d: 2 }] } }, { a: { b: 2 } }] };
    expect(lost(reported, { rows: [{ a: { c: [{}, {}] } }, { a: {} }] })).toEqual([
      'rows[].a.b',
      'rows[].a.c[].d',
    ]);
  });

  it('is the parent alone where that has no place', () => {
    expect(lost({ forecast: { points: [{ metrics: { clicks: 1 } }] } }, {})).toEqual(['forecast']);
  });

  it('includes a list of texts that became shorter, and no empty member', () => {
    expect(lost({ words: ['a', 'b'], none: [], gone: null, bare: {} }, { words: ['a'] })).toEqual(['words']);
  });

  it('is of an extension all but our own name in it', () => {
    expect(lost({ item: { ext: { switchyard: { seller: 'acme' } } } }, { item: { a: 1 } })).toEqual([]);
    expect(lost({ item: { ext: { switchyard: {}, vendor: 1 } } }, { item: { ext: {} } })).toEqual([
      'item.ext.vendor',
    ]);
  });

  it('is counted where it is more than anybody reads', () => {
    const reported = Object.fromEntries(Array.from({ length: 73 }, (_, at) => [`m${at}`, at]));
    const findings = lostMembers(reported, {}, {});
    expect(findings).toHaveLength(51);
    expect(findings.at(-1)).toEqual({ code: 'NOT_CARRIED', message: expect.stringContaining('23') });
  });
});
