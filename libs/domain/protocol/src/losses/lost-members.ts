import { lifecycleMember } from '../releases/lifecycle-task.js';
import { isJsonObject, sanitizeKeyName, type JsonObject, type JsonValue } from '@switchyard/values';
import type { Finding } from './finding.js';
import { extName } from '../message/form.js';
import { member } from '../message/pick.js';

/** How a task's members of one form are written in others. Paths are names with dots; list items have `[]`. */
export interface Carriage {
  /** Members with other names in other forms: each of the names carries the value. */
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
  /** Members that Switchyard handles itself, so that they are not reported as lost. */
  readonly local?: readonly string[];
  /** Lists whose items are matched by the value of this member. */
  readonly each?: Readonly<Record<string, string>>;
}

/** What a written answer lacks because its caller's release does not have it; kept with the answer as it was written. */
export const leftOutOf = new WeakMap<JsonObject, readonly string[]>();

/** Maximum findings, because a message may be full of unknown members. */
const findingsAtMost = 50;

/** Members of the envelope in any task: versions of each hop, the account, our own webhooks and keys. */
export const envelopeArguments: ReadonlySet<string> = new Set([
  'ads_version',
  'ads_major_version',
  'adcp_version',
  'adcp_major_version',
  'account',
  'idempotency_key',
  'context_id',
  'governance_context',
  'push_notification_config',
  lifecycleMember,
]);

/**
 * Returns the members of a request, at any depth, that the written message does not have, each as a finding, so that
 * nothing is dropped silently. A member of list items is reported once, with `[]` in its path.
 */
export function lostMembers(
  reported: JsonObject,
  written: JsonObject,
  carriage: Carriage,
): readonly Finding[] {
  // We return the context ourselves, whether or not a seller gets it.
  const requested = Object.entries(reported).filter(
    ([name]) => !envelopeArguments.has(name) && name !== 'context',
  );
  return findingsOfLost(lostPaths(Object.fromEntries(requested), written, carriage));
}

/** Returns the paths of members that were received and not written. A path includes everything below it. */
export function lostPaths(
  reported: JsonObject,
  written: JsonObject,
  carriage: Carriage,
): ReadonlySet<string> {
  const lost = new Set<string>();
  compare(reported, written, { stop: mapOf(carriage), path: '', lost });
  return lost;
}

/**
 * Returns the losses that the findings do not cover, with `place` as a prefix of each path. A finding about a member
 * covers everything inside it.
 */
export function lostBeside(
  findings: readonly Finding[],
  {
    reported,
    written,
    carriage,
    place,
  }: {
    readonly reported: JsonObject;
    readonly written: JsonObject;
    readonly carriage: Carriage;
    readonly place: string;
  },
): readonly Finding[] {
  const known = new Set(findings.map(({ field = '' }) => bareName(field.slice(place.length))));
  const paths = [...lostPaths(reported, written, carriage)].filter((path) => !isKnown(path, known));
  return findingsOfLost(paths.map((path) => `${place}${path}`));
}

/** Returns a path without indexes and item keys: losses are the same for each item. */
function bareName(field: string): string {
  return field.replace(/\[[^\]]*\]/g, '[]');
}

function isKnown(path: string, known: ReadonlySet<string>): boolean {
  return [...known].some(
    (knownPath) => path === knownPath || path.startsWith(`${knownPath}.`) || path.startsWith(`${knownPath}[`),
  );
}

/** Returns paths as findings, up to the maximum; one more finding counts the rest. */
export function findingsOfLost(paths: Iterable<string>): readonly Finding[] {
  const all = [...paths];
  const findings = all.slice(0, findingsAtMost).map(notCarried);
  const rest = all.length - findings.length;
  if (rest === 0) return findings;
  const message = `More members that do not exist in that protocol version: ${rest}.`;
  return [...findings, { code: 'NOT_CARRIED', message }];
}

/** Adds a finding for each path that the findings do not cover. A member's finding covers everything inside it. */
export function withPaths(findings: readonly Finding[], paths: readonly string[]): readonly Finding[] {
  const known = new Set(findings.map(({ field = '' }) => bareName(field)));
  const fresh = paths.filter((path) => !isKnown(bareName(path), known));
  return fresh.length === 0 ? findings : [...findings, ...fresh.map(notCarried)];
}

export function notCarried(field: string): Finding {
  return { code: 'NOT_CARRIED', message: 'This does not exist in that protocol version.', field };
}

interface Walk {
  readonly stop: Stop | undefined;
  /** Path of the two objects: empty, or ending with a dot. */
  readonly path: string;
  readonly lost: Set<string>;
}

function compare(reported: JsonObject, written: JsonObject, walk: Walk): void {
  for (const name in reported) {
    const value = reported[name];
    if (value === undefined || isEmpty(value)) continue;
    const stop = walk.stop?.inner.get(name);
    if (stop?.isOurs === true) continue;
    const counterpart = member(written, name);
    if (counterpart !== undefined) compareCounterparts(value, counterpart, name, { ...walk, stop });
    // Members of a missing object may be carried or handled individually.
    else if (stop !== undefined && stop.inner.size > 0 && isJsonObject(value))
      compareCounterparts(value, {}, name, { ...walk, stop });
    else if (!isElsewhere(stop, written) && !isOursAlone(name, value))
      walk.lost.add(`${walk.path}${sanitizeKeyName(name)}`);
  }
}

/** A member that an alias carries counts as fully carried, because the alias was defined for it. */
function isElsewhere(stop: Stop | undefined, written: JsonObject): boolean {
  return stop?.aliases.some((alias) => member(written, alias) !== undefined) === true;
}

function compareCounterparts(value: JsonValue, counterpart: JsonValue, name: string, walk: Walk): void {
  if (typeof value !== 'object' || value === null) return;
  const at = `${walk.path}${sanitizeKeyName(name)}`;
  if (!Array.isArray(value)) {
    if (isJsonObject(counterpart))
      compare(name === 'ext' ? othersIn(value) : value, counterpart, { ...walk, path: `${at}.` });
    return;
  }
  // A list that became another type, such as a map, was converted intentionally.
  if (!Array.isArray(counterpart)) return;
  if (counterpart.length < value.length && !value.some(isJsonObject)) walk.lost.add(at);
  const inner = { ...walk, path: `${at}[].` };
  const counterparts = counterpart.filter(isJsonObject);
  const items = value.filter(isJsonObject);
  for (const [index, item] of items.entries()) {
    const other = counterpartOf(item, { index, length: items.length, counterparts, key: walk.stop?.key });
    if (other !== undefined) compare(item, other, inner);
  }
}

/**
 * Returns the written item of a received one: by key, by index if none was omitted, or else all written items merged.
 * An item that is missing entirely was set aside, which is reported there.
 */
function counterpartOf(
  item: JsonObject,
  {
    index,
    length,
    counterparts,
    key,
  }: {
    readonly index: number;
    readonly length: number;
    readonly counterparts: readonly JsonObject[];
    readonly key: string | undefined;
  },
): JsonObject | undefined {
  if (key !== undefined)
    return counterparts.find((counterpart) => member(counterpart, key) === member(item, key));
  if (counterparts.length === length) return counterparts[index];
  return counterparts.length === 0 ? undefined : (Object.assign({}, ...counterparts) as JsonObject);
}

function isEmpty(value: JsonValue): boolean {
  if (value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/** Our own extension is never sent, so it is not a loss. */
function othersIn(ext: JsonObject): JsonObject {
  const { [extName]: _ours, ...others } = ext;
  return others;
}

function isOursAlone(name: string, value: JsonValue): boolean {
  return name === 'ext' && isJsonObject(value) && isEmpty(othersIn(value));
}

/** One member of a carriage, with the members inside it. */
interface Stop {
  readonly inner: Map<string, Stop>;
  aliases: readonly string[];
  isOurs: boolean;
  key?: string;
}

const known = new WeakMap<Carriage, Stop>();

/** Returns a carriage as a tree, built once, so that a comparison finds each member by its name. */
function mapOf(carriage: Carriage): Stop {
  const before = known.get(carriage);
  if (before !== undefined) return before;
  const root = stop();
  for (const [path, names] of Object.entries(carriage.aliases ?? {})) stopAt(root, path).aliases = names;
  for (const path of carriage.local ?? []) stopAt(root, path).isOurs = true;
  for (const [path, key] of Object.entries(carriage.each ?? {})) stopAt(root, path).key = key;
  known.set(carriage, root);
  return root;
}

const stop = (): Stop => ({ inner: new Map(), aliases: [], isOurs: false });

function stopAt(root: Stop, path: string): Stop {
  let at = root;
  for (const name of path.replaceAll('[]', '').split('.')) {
    const next = at.inner.get(name) ?? stop();
    at.inner.set(name, next);
    at = next;
  }
  return at;
}
