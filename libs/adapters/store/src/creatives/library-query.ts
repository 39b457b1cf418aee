import type { CreativeQuery } from '@switchyard/buys';
import { formatKey } from '@switchyard/protocol';
import { movingOrder } from '../core/moving-order.js';
import { storableText } from '../core/storable.js';

/** A statement's condition, and its values in order. */
export interface LibraryWhere {
  readonly where: string;
  readonly values: readonly unknown[];
}

/** True of an assignment to a package of one of the principal's buys. */
export function ofOwnBuy(assignment: string, principal: string): string {
  return `exists (select 1 from media_buy own where own.id = ${assignment}.media_buy_id and own.principal_id = ${principal})`;
}

/** The filters of a listing as SQL. The aliases are `c` for the creative. Archived ones show only where asked for. */
export function libraryWhere({ filters, asOf, principalId, accountScopes }: CreativeQuery): LibraryWhere {
  const values: unknown[] = [new Date(asOf)];
  const place = (value: unknown): string => `$${values.push(value)}`;
  const texts = (list: readonly string[]): string => place(list.map(storableText));
  const when = (text: string): string => place(new Date(text));
  const parts = ['c.created_at <= $1'];
  const own = (): string => ofOwnBuy('a', place(principalId));
  const assigned = 'select 1 from creative_assignment a where a.creative_id = c.creative_id';
  if (filters.statuses === undefined) parts.push('c.archived_at is null');
  else parts.push(`c.status = any(${texts(filters.statuses)})`);
  if (filters.creativeIds !== undefined) parts.push(`c.creative_id = any(${texts(filters.creativeIds)})`);
  if (filters.formatNames !== undefined) parts.push(`c.format_name = any(${texts(filters.formatNames)})`);
  if (filters.formats !== undefined) {
    const keys = texts(filters.formats.map(formatKey));
    // A format that is named without sizes stands for all of its sizes.
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
    const wanted = `m.id = a.media_buy_id and m.principal_id = ${place(principalId)} and ${by}`;
    parts.push(`exists (${assigned} and exists (select 1 from media_buy m where ${wanted}))`);
  }
  return { where: parts.join(' and '), values };
}

/**
 * What a row is sorted by, as text that sorts as it should: instants and counts are padded by their format. `$1` is when
 * the walk through the library began. Rows that have moved in their order since then come last; assignments are counted
 * that were there then.
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

/** When a row last moved, in the orders in which rows move: a status also by what a seller says, which is no update. */
const movedAts: Partial<typeof sortTexts> = {
  updated_date: 'c.updated_at',
  name: 'c.updated_at',
  status: 'greatest(c.updated_at, c.status_at)',
};
