import { isUuid, type PageRead, type SortKey } from '@switchyard/values';
import type { ListSort, TimeFilter } from '@switchyard/tenancy';
import type { Statement } from './tenant-client.js';

/** A part of a statement, with a question mark for each of its values. */
export type Part = readonly [text: string, ...values: readonly unknown[]];

/** A column of the key that a list is ordered by. */
export interface KeyColumn {
  readonly column: string;
  readonly type: 'timestamptz' | 'uuid' | 'text' | 'int';
  readonly isDescending?: boolean;
}

/** A list: an index has its order, and the last column of the order is unique. */
interface List {
  readonly columns: string;
  readonly from: string;
  readonly where: readonly (Part | undefined)[];
  readonly order: readonly KeyColumn[];
}

/** A condition if a filter has a value, else none. */
export function given(text: string, value: unknown): Part | undefined {
  return value === undefined ? undefined : [text, value];
}

/** The conditions of a filter by time. */
export function within(column: string, { since, until }: TimeFilter): readonly (Part | undefined)[] {
  return [
    given(`${column} >= ?`, since === undefined ? undefined : new Date(since)),
    given(`${column} < ?`, until === undefined ? undefined : new Date(until)),
  ];
}

/** An order by time, newest first unless `oldest` is requested; the reverse reads the same index backward. */
export function byTime(
  time: string,
  id: { readonly column: string; readonly isDescending: boolean },
  sort: ListSort = 'newest',
): readonly KeyColumn[] {
  const isNewest = sort === 'newest';
  return [
    { column: time, type: 'timestamptz', isDescending: isNewest },
    { column: id.column, type: 'uuid', isDescending: isNewest === id.isDescending },
  ];
}

/** Orders by the time of creation, oldest first unless set: both columns have one direction, so one index serves both. */
export function byCreation(
  alias: string,
  id: KeyColumn = { column: 'id', type: 'uuid' },
): Readonly<Record<'oldest' | 'newest', readonly KeyColumn[]>> {
  const columns = [
    { column: `${alias}.created_at`, type: 'timestamptz' },
    { ...id, column: `${alias}.${id.column}` },
  ] as const;
  return { oldest: columns, newest: columns.map((column) => ({ ...column, isDescending: true })) };
}

/** The comparison with the key of the page before, in a statement that stands as text. */
export const comparedBy = (sort: ListSort): string => (sort === 'oldest' ? '>' : '<');

export const directionOf = (sort: ListSort): string => (sort === 'oldest' ? 'asc' : 'desc');

/** One page of a list by keyset: rows after a key are found by the index of the order, so every page costs the same. */
export function listStatement(list: List, { after, limit }: PageRead): Statement {
  const [conditions, ...values] = allOf([...list.where, behind(list.order, after)]);
  const text = `select ${list.columns} from ${list.from} where ${conditions} order by ${orderOf(list.order)} limit ?`;
  return { text: placed(text), values: [...values, limit] };
}

/** Conditions that must all hold; `true` if there are none. */
export function allOf(parts: readonly (Part | undefined)[]): Part {
  const given = parts.filter((part) => part !== undefined);
  const text = given.map(([condition]) => `(${condition})`).join(' and ');
  return [text === '' ? 'true' : text, ...given.flatMap(([, ...values]) => values)];
}

export function orderOf(order: readonly KeyColumn[]): string {
  return order
    .map(({ column, isDescending }) => `${column}${isDescending === true ? ' desc' : ''}`)
    .join(', ');
}

/** The text of a part with numbered placeholders, from the first on. */
export function placed(text: string): string {
  let at = 0;
  return text.replaceAll('?', () => `$${(at += 1)}`);
}

/** The rows after a key. If the columns have two directions, only the first column bounds the scan. */
export function behind(order: readonly KeyColumn[], key: SortKey | undefined): Part | undefined {
  if (key === undefined) return undefined;
  const values = order.map(({ type }, at) => valueOf(type, key[at]));
  if (key.length !== order.length || values.includes(undefined)) throw new InvalidKey();
  const places = order.map(({ type }) => `?::${type}`);
  const sign = ({ isDescending }: KeyColumn): string => (isDescending === true ? '<' : '>');
  const [first, ...others] = order;
  if (first === undefined) return ['true'];
  if (others.every((column) => sign(column) === sign(first))) {
    const columns = order.map(({ column }) => column).join(', ');
    return [`(${columns}) ${sign(first)} (${places.join(', ')})`, ...values];
  }
  const [second] = others;
  if (second === undefined || others.some((column) => sign(column) !== sign(second)))
    throw new TypeError('Behind the first column, all run in one direction.');
  const rest = others.map(({ column }) => column).join(', ');
  return [
    `${first.column} ${sign(first)}= ${places[0]} and (${first.column} ${sign(first)} ${places[0]} or (${rest}) ${sign(second)} (${places.slice(1).join(', ')}))`,
    values[0],
    ...values,
  ];
}

/** A sort key that no row of the list can have, under PostgreSQL's code for such a value. */
class InvalidKey extends Error {
  readonly code = '22023';
}

/**
 * True if an error, or its cause, says that a value does not fit its type (class 22 of PostgreSQL). Cursors come from
 * callers and can hold any value.
 */
export function isInvalidValue(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: unknown };
  return (typeof code === 'string' && /^22[0-9A-Z]{3}$/.test(code)) || isInvalidValue(cause);
}

/** The value of a key's column; `undefined` if it is none of its type. */
function valueOf(type: KeyColumn['type'], value: string | number | undefined): unknown {
  if (type === 'timestamptz') {
    // Cursors of earlier releases hold the time of some lists as text.
    const at = typeof value === 'string' ? Date.parse(value) : value;
    return at !== undefined && Math.abs(at) < 8.64e15 ? new Date(at) : undefined;
  }
  if (type === 'int') return Number.isSafeInteger(value) ? value : undefined;
  if (typeof value !== 'string') return undefined;
  return type === 'text' || isUuid(value) ? value : undefined;
}
