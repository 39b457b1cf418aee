import { createHash } from 'node:crypto';

interface BusyOptions {
  /** How often a text must occur before it gets a name. */
  readonly busyFrom: number;
  /** Limit of names: each connection keeps a plan for each. */
  readonly most: number;
  /** Which texts may get a name. Default: `inserts` only. */
  readonly takes?: RegExp;
  /** Prefix of the names, so that two sets never collide. */
  readonly prefix?: string;
}

/** Inserts of values: they have only one plan. */
const inserts = /^\s*insert into \w+ \([^()]*\) values /i;
/** For transactions that find rows by keys only, and are planned that way. */
export const byKeys = /^\s*(select|insert|update|delete|with)\b/i;

/**
 * Gives names to repeated statements without one: PostgreSQL then parses and plans them once per connection, which for
 * one row is most of the cost.
 *
 * By default only inserts of values: a plan that searches rows, made while a table was small, would continue to read
 * the whole table when it has grown. Only frequent texts get a name, because lists of different lengths make endless
 * variants of one statement.
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
