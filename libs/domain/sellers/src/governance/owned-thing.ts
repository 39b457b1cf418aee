import { createHash } from 'node:crypto';
import {
  canonicalJson,
  err,
  isJsonObject,
  ok,
  type Instant,
  type JsonObject,
  type JsonValue,
  type Result,
} from '@switchyard/values';
import type { ListChange, ListKind } from './list-change.js';

/** What agents of governance own and packages name (docs/protocol/governance.md#changed-lists). */
export type ThingKind = 'property_list' | 'collection_list' | 'content_standards';

/** A list or content standards, at the agent that owns it. */
export interface OwnedThing {
  readonly kind: ThingKind;
  /** Its id there. */
  readonly subject: string;
  readonly agentUrl: string;
}

/** The same text for the same thing. */
export const thingKey = ({ kind, subject, agentUrl }: OwnedThing): string =>
  JSON.stringify([kind, subject, agentUrl]);

/** The members of a targeting that name one, and the member that is its id. */
const references: ReadonlyMap<string, readonly [ThingKind, string]> = new Map([
  ['property_list', ['property_list', 'list_id']],
  ['collection_list', ['collection_list', 'list_id']],
  ['collection_list_exclude', ['collection_list', 'list_id']],
  ['content_standards', ['content_standards', 'standards_id']],
]);
const longestAddress = 2_000;

/** What the targeting of a package names of agents, wherever in it that stands; each may come several times. */
export function thingsIn(targeting: JsonValue): readonly OwnedThing[] {
  if (Array.isArray(targeting)) return targeting.flatMap(thingsIn);
  if (!isJsonObject(targeting)) return [];
  return Object.entries(targeting).flatMap(([name, value]) => {
    const reference = references.get(name);
    if (reference === undefined) return thingsIn(value);
    const [kind, id] = reference;
    return [value].flat().flatMap((named) => {
      const { [id]: subject, agent_url: agentUrl } = isJsonObject(named) ? named : {};
      return isText(subject, 255) && isText(agentUrl, longestAddress) ? [{ kind, subject, agentUrl }] : [];
    });
  });
}

const isText = (value: JsonValue | undefined, most: number): value is string =>
  typeof value === 'string' && value !== '' && value.length <= most && !value.includes('\0');

/** A case about a change of what an agent owns, by its kind. */
export const changeKinds = {
  property_list: 'property_list_changed',
  collection_list: 'collection_list_changed',
  content_standards: 'content_standards_changed',
} as const satisfies Readonly<Record<ThingKind, string>>;

/** The thing that an event about a list is about. */
export const thingOfList = (kind: ListKind): ThingKind =>
  kind === 'property_list_changed' ? 'property_list' : 'collection_list';

/** One page of a thing, as its owner answers it. */
export interface ThingPage {
  /** Of a list: its entries. Of standards: their policies, each with its version and how binding it is. */
  readonly entries: readonly string[];
  readonly next?: string;
  /** Until when copies may be used. */
  readonly validUntil?: Instant;
}

/** A thing as it was read whole. */
export interface ThingRead {
  /** In order, each once. */
  readonly entries: readonly string[];
  /** SHA-256 of the entries, in hexadecimal. */
  readonly version: string;
  readonly validUntil?: Instant;
}

const longestEntry = 300;
const longestCursor = 2_000;
/** What a task of AdCP returns in one page unless it is asked for more. */
const rowsOfPage = 1_000;

const tasks = {
  property_list: { tool: 'get_property_list', member: 'identifiers' },
  collection_list: { tool: 'get_collection_list', member: 'collections' },
  content_standards: { tool: 'get_content_standards', member: 'policies' },
} as const;

/** The task that reads a thing, with its arguments. */
export function questionOf(
  { kind, subject }: OwnedThing,
  cursor?: string,
): { tool: string; args: JsonObject } {
  const { tool } = tasks[kind];
  if (kind === 'content_standards') return { tool, args: { standards_id: subject } };
  const pagination = { max_results: rowsOfPage, ...(cursor !== undefined && { cursor }) };
  return { tool, args: { list_id: subject, resolve: true, pagination } };
}

/** Reads one page; the error says in words why it is none. */
export function readThingPage({ kind, subject }: OwnedThing, payload: JsonObject): Result<ThingPage, string> {
  const inner = isJsonObject(payload['result']) ? payload['result'] : payload;
  const { list, pagination, cache_valid_until: until, standards_id: standardsId } = inner;
  const named = kind === 'content_standards' ? standardsId : isJsonObject(list) ? list['list_id'] : undefined;
  if (named !== subject) return err('its answer is about something else');
  const rows = inner[tasks[kind].member];
  if (!Array.isArray(rows) && (rows !== undefined || kind !== 'content_standards'))
    return err(`its answer has no ${tasks[kind].member}`);
  const validUntil = typeof until === 'string' ? Date.parse(until) : Number.NaN;
  const { has_more: more, cursor } = isJsonObject(pagination) ? pagination : {};
  if (more === true && (typeof cursor !== 'string' || cursor === '' || cursor.length > longestCursor))
    return err('it says that there is more, and does not say how to read on');
  return ok({
    entries: (Array.isArray(rows) ? rows : []).map(entryOf[kind]),
    ...(more === true && typeof cursor === 'string' && { next: cursor }),
    ...(!Number.isNaN(validUntil) && { validUntil }),
  });
}

/** The thing of its pages. */
export function thingOf(entries: readonly string[], validUntil?: Instant): ThingRead {
  const sorted = [...new Set(entries)].toSorted();
  const version = createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
  return { entries: sorted, version, ...(validUntil !== undefined && { validUntil }) };
}

const text = (value: JsonValue | undefined): string =>
  (typeof value === 'string' ? value : canonicalJson(value ?? ''))
    .replaceAll('\0', '')
    .slice(0, longestEntry);
const pair = (value: JsonValue | undefined): string =>
  isJsonObject(value) ? `${text(value['type'])}:${text(value['value'])}`.slice(0, longestEntry) : text(value);

const entryOf = {
  property_list: pair,
  /** By its id in the registry, else by the first of its identifiers, else by its name. */
  collection_list: (row: JsonValue) => {
    if (!isJsonObject(row)) return text(row);
    const ids = row['distribution_ids'];
    if (typeof row['collection_rid'] === 'string') return text(row['collection_rid']);
    return Array.isArray(ids) && ids.length > 0 ? pair(ids[0]) : text(row['name']);
  },
  /** A policy with the digest of what it says, so that every change of it shows; the order of its members is none. */
  content_standards: (row: JsonValue) => {
    if (!isJsonObject(row)) return text(row);
    const digest = createHash('sha256').update(canonicalJson(row)).digest('hex').slice(0, 12);
    const enforcement = typeof row['enforcement'] === 'string' ? row['enforcement'] : 'must';
    return `${text(row['policy_id'] ?? row['name'])} (${enforcement}, ${digest})`.slice(0, longestEntry);
  },
} as const satisfies Readonly<Record<ThingKind, (row: JsonValue) => string>>;

/** Entries that came and went. */
export interface Difference {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** What differs between two reads. */
export function differenceOf(before: readonly string[], now: readonly string[]): Difference {
  const [old, current] = [new Set(before), new Set(now)];
  return {
    added: now.filter((entry) => !old.has(entry)),
    removed: before.filter((entry) => !current.has(entry)),
  };
}

/** Whether a policy that came or went binds: what runs against it is stopped where nobody answers. */
export const binds = ({ added, removed }: Difference): boolean =>
  [...added, ...removed].some((entry) => / \(must, [0-9a-f]{12}\)$/.test(entry));

/** The change of a list by what was read; what its owner told of it counts where there is nothing to compare with. */
export function changeRead(
  told: ListChange | undefined,
  subject: string,
  { entries, validUntil }: ThingRead,
  difference: Difference | undefined,
): ListChange {
  const isTold = difference === undefined || difference.added.length + difference.removed.length === 0;
  const { added, removed } = isTold
    ? { added: told?.added, removed: told?.removed }
    : { added: difference.added.length, removed: difference.removed.length };
  // Of two ends the earlier one counts: an owner that ends every copy says so in its event.
  const ends = [told?.validUntil, validUntil].filter((end) => end !== undefined);
  return {
    listId: subject,
    total: entries.length,
    ...(added !== undefined && { added }),
    ...(removed !== undefined && { removed }),
    ...(ends.length > 0 && { validUntil: Math.min(...ends) }),
  };
}
