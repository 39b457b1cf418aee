import { createHash } from 'node:crypto';

export interface BusyOptions {
  /** How often a text has to come before it is worth keeping. */
  readonly busyFrom: number;
  /** Names given at most: each connection keeps a plan for each. */
  readonly most: number;
  /** Which texts may get one; `inserts` alone when absent. */
  readonly takes?: RegExp;
  /** What names begin with, so that two sets of them never meet. */
  readonly prefix?: string;
}

/** Rows of values: there is one way to run them. */
export const inserts = /^\s*insert into \w+ \([^()]*\) values /i;
/** For transactions that look for rows by keys alone, and plan them so. */
export const byKeys = /^\s*(select|insert|update|delete)\b/i;

/**
 * Names for statements that have none of their own and come again and again: the server then parses and plans them
 * once per connection, which for one row is most of what it costs.
 *
 * Inserts of values, where nothing else is said: a plan that looks for rows and was made while a table was small would
 * go on reading all of it when it is not any more. Only what comes often gets a name, because lists of different lengths
 * make endless variants of one statement.
 */
export function busyStatements({
  busyFrom,
  most,
  takes = inserts,
  prefix = 'b',
}: BusyOptions): (text: string) => string | undefined {
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
    if (!takes.test(text) || text.includes(';')) return undefined;
    const name = `${prefix}${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
    names.set(text, name);
    return name;
  };
}
