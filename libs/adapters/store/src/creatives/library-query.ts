import type { CreativeQuery } from '@switchyard/buys';
import { formatKey } from '@switchyard/protocol';
import type { Reach } from '@switchyard/tenancy';
import { movingOrder } from '../core/moving-order.js';
import { withinReach, type Condition } from '../core/within-reach.js';
import { storableText } from '../core/storable.js';

/** A statement's condition, and its values in order. */
interface LibraryWhere {
  readonly where: string;
  readonly values: readonly unknown[];
}

/** True for an assignment to a package of a buy that fulfils `within`, a condition on `own`. */
export function ofOwnBuy(assignment: string, within: string): string {
  return `exists (select 1 from media_buy own where own.id = ${assignment}.media_buy_id and ${within})`;
}

/** Which rows of `creative c` a caller may read and write. Both conditions take the same values. */
interface CreativeAccess {
  readonly read: string;
  readonly write: string;
  readonly values: Condition['values'];
}

/**
 * The only rule: a creative belongs to the operation that brought it first, and a caller that reaches that operation
 * may write it. A caller that reaches a buy with the creative may also read it.
 */
export function creativeAccess(reach: Reach, place: number): CreativeAccess {
  if (reach.kind === 'everything') return { read: 'true', write: 'true', values: [] };
  const { text: made, values } = withinReach('made', reach, place);
  const write = `exists (select from operation made
    where made.id = coalesce(c.first_operation_id, c.operation_id) and ${made})`;
  const shown = ofOwnBuy('shown', withinReach('own', reach, place).text);
  const read = `(${write} or exists (select from creative_assignment shown
    where shown.creative_id = c.creative_id and ${shown}))`;
  return { read, write, values };
}

/** The filters of a list as SQL. `c` is the creative. Archived ones are shown only on request. */
export function libraryWhere({ filters, asOf, reach, accountScopes }: CreativeQuery): LibraryWhere {
  const values: unknown[] = [new Date(asOf)];
  const place = (value: unknown): string => `$${values.push(value)}`;
  const texts = (list: readonly string[]): string => place(list.map(storableText));
  const when = (text: string): string => place(new Date(text));
  const parts = ['c.created_at <= $1'];
  const access = creativeAccess(reach, values.length + 1);
  values.push(...access.values);
  parts.push(access.read);
  const within = (alias: string): string => {
    const { text, values: added } = withinReach(alias, reach, values.length + 1);
    values.push(...added);
    return text;
  };
  const own = (): string => ofOwnBuy('a', within('own'));
  const assigned = 'select 1 from creative_assignment a where a.creative_id = c.creative_id';
  if (filters.statuses === undefined) parts.push('c.archived_at is null');
  else parts.push(`c.status = any(${texts(filters.statuses)})`);
  if (filters.creativeIds !== undefined) parts.push(`c.creative_id = any(${texts(filters.creativeIds)})`);
  if (filters.formatNames !== undefined) parts.push(`c.format_name = any(${texts(filters.formatNames)})`);
  if (filters.formats !== undefined) {
    const keys = texts(filters.formats.map(formatKey));
    // A format without sizes matches all of its sizes.
    parts.push(`(c.format_key = any(${keys}) or c.format_bare_key = any(${keys}))`);
  }
  if (filters.tags !== undefined) parts.push(`c.tags @> ${texts(filters.tags)}::text[]`);
  if (filters.tagsAny !== undefined) parts.push(`c.tags && ${texts(filters.tagsAny)}::text[]`);
  if (filters.nameContains !== undefined)
    parts.push(`position(lower(${place(storableText(filters.nameContains))}) in lower(c.name)) > 0`);
  if (filters.createdAfter !== undefined) parts.push(`c.created_at > ${when(filters.createdAfter)}`);
  if (filters.createdBefore !== undefined) parts.push(`c.created_at < ${when(filters.createdBefore)}`);
  if (filters.updatedAfter !== undefined) parts.push(`c.updated_at > ${when(filters.updatedAfter)}`);
  if (filters.updatedBefore !== undefined) parts.push(`c.updated_at < ${when(filters.updatedBefore)}`);
  if (filters.packageIds !== undefined)
    parts.push(`exists (${assigned} and ${own()} and a.package_id = any(${texts(filters.packageIds)}))`);
  if (filters.unassigned !== undefined)
    parts.push(`${filters.unassigned ? 'not ' : ''}exists (${assigned} and ${own()})`);
  if (accountScopes !== undefined) {
    const of = `o.id = c.operation_id and o.insert_scope = any(${texts(accountScopes)})`;
    parts.push(`exists (select 1 from operation o where ${of})`);
  }
  if (filters.conceptIds !== undefined)
    parts.push(`c.body ->> 'concept_id' = any(${texts(filters.conceptIds)})`);
  if (filters.mediaBuyIds !== undefined || filters.buyerRefs !== undefined) {
    const by =
      filters.mediaBuyIds === undefined
        ? `m.buyer_ref = any(${texts(filters.buyerRefs ?? [])})`
        : `m.id = any(${texts(filters.mediaBuyIds)})`;
    const wanted = `m.id = a.media_buy_id and ${within('m')} and ${by}`;
    parts.push(`exists (${assigned} and exists (select 1 from media_buy m where ${wanted}))`);
  }
  return { where: parts.join(' and '), values };
}

/**
 * The sort value of a row, as text that sorts correctly: instants and counts are padded. `$1` is when the walk through
 * the library began. Rows whose value changed since then come last; only assignments from before then are counted.
 */
export function sortedBy({ field, direction }: CreativeQuery['sort']): string {
  const text = sortTexts[field];
  const movedAt = movedAts[field];
  return movedAt === undefined ? text : movingOrder({ text, movedAt, beganAt: '$1', direction });
}

const sortTexts: Readonly<Record<CreativeQuery['sort']['field'], string>> = {
  created_date: `to_char(c.created_at at time zone 'UTC', 'YYYYMMDDHH24MISSMS')`,
  updated_date: `to_char(c.updated_at at time zone 'UTC', 'YYYYMMDDHH24MISSMS')`,
  name: 'c.name',
  status: 'c.status',
  assignment_count: `lpad((select count(*) from creative_assignment a
    where a.creative_id = c.creative_id and a.created_at <= $1)::text, 9, '0')`,
};

/** When a row's value last changed, for orders that can change: sellers change a status without an update. */
const movedAts: Partial<typeof sortTexts> = {
  updated_date: 'c.updated_at',
  name: 'c.updated_at',
  status: 'greatest(c.updated_at, c.status_at)',
};
