import { createHash } from 'node:crypto';

export interface BusyOptions {
  /** How often a text has to come before it is worth keeping. */
  readonly busyFrom: number;
  /** Names given at most: each connection keeps a plan for each. */
  readonly most: number;
}

/**
 * Names for inserts of rows that have none of their own and come again and again: the server then parses and plans them
 * once per connection, which for one row is most of what it costs.
 *
 * Inserts of values alone: there is one way to run them. A plan that looks for rows and was made while a table was small
 * would go on reading all of it when it is not any more. Only what comes often gets a name, because lists of different
 * lengths make endless variants of one statement.
 */
export function busyStatements({ busyFrom, most }: BusyOptions): (text: string) => string | undefined {
  const names = new Map<string, string>();
  const seen = new Map<string, number>();
  return (text) => {
    const known = names.get(text);
    if (known !== undefined || names.size >= most) return known;
    const times = (seen.get(text) ?? 0) + 1;
    if (times < busyFrom) {
      if (seen.size >= most * 10) seen.clear();
      seen.set(text, times);
      return undefined;
    }
    seen.delete(text);
    if (!/^\s*insert into \w+ \([^()]*\) values /i.test(text) || text.includes(';')) return undefined;
    const name = `b${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
    names.set(text, name);
    return name;
  };
}
