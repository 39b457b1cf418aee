import { describe, expect, it } from '@jest/globals';
import { titleOf, wordsOf } from './role-matrix.js';

describe('what a role may do, in words', () => {
  it('says the most that its permissions give in each area', () => {
    expect(
      wordsOf({
        products: ['read'],
        media_buys: ['read', 'write'],
        creatives: ['read', 'write'],
        clients: ['read'],
      }),
    ).toEqual(['Ask, plan', 'yes', '', 'Add', 'See', '', '', '', '', '', '']);
    expect(wordsOf({ ledger: ['read', 'write'], media_buys: ['read'] })).toEqual([
      ...['', 'See', '', '', '', 'yes', 'Prepare', 'Set', '', '', ''],
    ]);
    expect(wordsOf({ ledger: ['read', 'approve'] })[6]).toBe('Close');
  });

  it('is nothing without permissions', () => {
    expect(new Set(wordsOf({}))).toEqual(new Set(['']));
  });

  it('names a role as a word', () => {
    expect(titleOf('media_planner')).toBe('Media planner');
  });
});
