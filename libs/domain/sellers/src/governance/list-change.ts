import { isJsonObject, type Instant, type JsonObject, type JsonValue } from '@switchyard/values';

/** Lists whose owner tells us of changes (docs/protocol/governance.md#changed-lists). */
export type ListKind = 'property_list_changed' | 'collection_list_changed';

/** What the owner of a list says has changed in it. */
export interface ListChange {
  readonly listId: string;
  /** How many entries came and went, and how many there are; absent: not said. */
  readonly added?: number;
  readonly removed?: number;
  readonly total?: number;
  /** Until when copies of it may be used. */
  readonly validUntil?: Instant;
}

const members = {
  property_list_changed: ['properties_added', 'properties_removed', 'total_properties'],
  collection_list_changed: ['collections_added', 'collections_removed', 'total_collections'],
} as const satisfies Readonly<Record<ListKind, readonly [string, string, string]>>;

/** Reads an event about a list; undefined if it names none. The event may be the result of an envelope. */
export function readListChange(kind: ListKind, body: JsonObject): ListChange | undefined {
  const inner = isJsonObject(body['result']) ? body['result'] : body;
  const { list_id: listId, change_summary: summary, cache_valid_until: until } = inner;
  if (typeof listId !== 'string' || listId === '' || listId.length > 255 || listId.includes('\0'))
    return undefined;
  const counted = isJsonObject(summary) ? summary : {};
  const [added, removed, total] = members[kind].map((name) => countOf(counted[name]));
  const validUntil = typeof until === 'string' ? Date.parse(until) : Number.NaN;
  return {
    listId,
    ...(added !== undefined && { added }),
    ...(removed !== undefined && { removed }),
    ...(total !== undefined && { total }),
    ...(!Number.isNaN(validUntil) && { validUntil }),
  };
}

/** A number of entries; some agents list the entries themselves. */
function countOf(value: JsonValue | undefined): number | undefined {
  if (Array.isArray(value)) return value.length;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/**
 * Why a person is asked about what runs with a list; undefined where the change takes nothing away. A list of collections
 * may be one of what must not be aired, so that an entry more takes away, too. What was not said is asked about.
 */
export function askedBecause(kind: ListKind, change: ListChange, now: Instant): string | undefined {
  const { added, removed, total, validUntil } = change;
  if (validUntil !== undefined && validUntil <= now)
    return 'Its owner says that no copy of it may be used any more.';
  if (total === 0) return 'The list is empty now.';
  if (removed === undefined) return 'Its owner does not say what was taken out.';
  if (removed > 0)
    return `${removed} of its entries were taken out${total === undefined ? '' : `, ${total} are left`}.`;
  if (kind === 'collection_list_changed' && added !== 0)
    return 'Entries were added, which may be what must not be aired.';
  return undefined;
}
