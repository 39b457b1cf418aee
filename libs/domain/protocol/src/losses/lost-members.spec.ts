import { describe, expect, it } from '@jest/globals';
import { lostMembers } from './lost-members.js';

const carriage = {
  each: { prices: 'id' },
  aliases: { 'prices[].rate': ['fixed'] },
  local: ['prices[].currency'],
};
const fields = (reported: object, written: object) =>
  lostMembers(reported as never, written as never, carriage).map(({ field }) => field);

describe('a loss within the items of a list', () => {
  it('is reported by its path, at any position of the item', () => {
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

  it('is not reported for a renamed member, nor for one that we add', () => {
    const reported = { prices: [{ id: 'a', rate: 5, currency: 'USD' }] };
    expect(fields(reported, { prices: [{ id: 'a', fixed: 5 }] })).toEqual([]);
  });

  it('is reported for an object within an item member by member', () => {
    const reported = { prices: [{ id: 'a', guidance: { p25: 1, p50: 2 } }] };
    expect(fields(reported, { prices: [{ id: 'a', guidance: { p25: 1 } }] })).toEqual([
      'prices[].guidance.p50',
    ]);
  });

  it('is not reported again for an item that was set aside, and is the list if that is missing', () => {
    expect(fields({ prices: [{ id: 'a', rate: 5 }] }, { prices: [{ id: 'b' }] })).toEqual([]);
    expect(fields({ prices: [{ id: 'a', rate: 5 }] }, {})).toEqual(['prices']);
  });
});

describe('a loss at any depth', () => {
  const lost = (reported: object, written: object) =>
    lostMembers(reported as never, written as never, {}).map(({ field }) => field);

  it('is reported once by the shape of its path, for any number of items', () => {
    const reported = { rows: [{ a: { b: 1, c: [{ d: 1 }, { d: 2 }] } }, { a: { b: 2 } }] };
    expect(lost(reported, { rows: [{ a: { c: [{}, {}] } }, { a: {} }] })).toEqual([
      'rows[].a.b',
      'rows[].a.c[].d',
    ]);
  });

  it('is only the parent if that is missing', () => {
    expect(lost({ forecast: { points: [{ metrics: { clicks: 1 } }] } }, {})).toEqual(['forecast']);
  });

  it('includes a list of texts that became shorter, and no empty member', () => {
    expect(lost({ words: ['a', 'b'], none: [], gone: null, bare: {} }, { words: ['a'] })).toEqual(['words']);
  });

  it('covers everything of an extension except our own name in it', () => {
    expect(lost({ item: { ext: { switchyard: { seller: 'acme' } } } }, { item: { a: 1 } })).toEqual([]);
    expect(lost({ item: { ext: { switchyard: {}, vendor: 1 } } }, { item: { ext: {} } })).toEqual([
      'item.ext.vendor',
    ]);
  });

  it('is counted if the list is too long to read', () => {
    const reported = Object.fromEntries(Array.from({ length: 73 }, (_, at) => [`m${at}`, at]));
    const findings = lostMembers(reported, {}, {});
    expect(findings).toHaveLength(51);
    expect(findings.at(-1)).toEqual({ code: 'NOT_CARRIED', message: expect.stringContaining('23') });
  });
});
