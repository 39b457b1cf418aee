import { describe, expect, it } from '@jest/globals';
import { busyStatements } from './busy-statements.js';

const insert = (rows: number): string =>
  `INSERT INTO leg (id, seller) VALUES ${Array(rows).fill('($1, $2)').join(', ')}`;

describe('names of busy statements', () => {
  it('gives a text the same name once it is frequent, and none before', () => {
    const nameOf = busyStatements({ busyFrom: 3, most: 10 });
    const names = Array.from({ length: 5 }, () => nameOf(insert(1)));
    expect(names.slice(0, 2)).toEqual([undefined, undefined]);
    expect(names[2]).toMatch(/^b[0-9a-f]{24}$/);
    expect(new Set(names.slice(2)).size).toBe(1);
  });

  it('gives a limited number of names, and keeps them', () => {
    const nameOf = busyStatements({ busyFrom: 1, most: 2 });
    const first = nameOf(insert(1));
    expect(new Set([first, nameOf(insert(2))]).size).toBe(2);
    expect(nameOf(insert(3))).toBeUndefined();
    expect(nameOf(insert(1))).toBe(first);
  });

  it('names no statement with several possible plans', () => {
    const nameOf = busyStatements({ busyFrom: 1, most: 9 });
    for (const text of [
      'commit',
      `${insert(1)}; select 1`,
      'select * from leg where id = $1',
      'update leg set status = $1 where id = $2',
      'insert into leg (id) select id from operation',
    ])
      expect([nameOf(text), nameOf(text)]).toEqual([undefined, undefined]);
  });
});
