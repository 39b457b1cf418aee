import { describe, expect, it } from '@jest/globals';
import { busyStatements } from './busy-statements.js';

describe('names of busy statements', () => {
  it('gives the same name from the time on that a text is busy, and none before', () => {
    const nameOf = busyStatements({ busyFrom: 3, most: 10 });
    const names = Array.from({ length: 5 }, () => nameOf('select 1'));
    expect(names.slice(0, 2)).toEqual([undefined, undefined]);
    expect(names[2]).toMatch(/^b[0-9a-f]{24}$/);
    expect(new Set(names.slice(2)).size).toBe(1);
  });

  it('gives no more names than it may, and keeps those that it gave', () => {
    const nameOf = busyStatements({ busyFrom: 1, most: 2 });
    const first = nameOf('select 1');
    expect(new Set([first, nameOf('select 2')]).size).toBe(2);
    expect(nameOf('select 3')).toBeUndefined();
    expect(nameOf('select 1')).toBe(first);
  });

  it('names nothing that cannot be prepared', () => {
    const nameOf = busyStatements({ busyFrom: 1, most: 9 });
    for (const text of ['begin; select 1', 'commit', 'lock table x', 'listen news'])
      expect([nameOf(text), nameOf(text)]).toEqual([undefined, undefined]);
  });
});
