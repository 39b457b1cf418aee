import { isJsonObject, sanitizeKeyName, type JsonObject, type JsonValue } from '@switchyard/values';
import type { Finding } from './finding.js';
import { mapOf, type Stop } from './carriage-map.js';
import { extName } from '../message/form.js';
import { member } from '../message/pick.js';

/** How a task's members of one form stand in others. Paths are of names with dots between; items of lists have `[]`. */
export interface Carriage {
  /** Members with other names in other forms: any of the names carries the value. */
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
  /** Members that are handled here, so that their loss is not reported. */
  readonly ours?: readonly string[];
  /** Lists whose items are matched by the value of the member named here. */
  readonly each?: Readonly<Record<string, string>>;
}

/** Maximum of findings, against messages full of unknown members. */
const mostTold = 50;

/** What the envelope takes care of, whatever the task: versions per hop, our account plane, our own webhooks and keys. */
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
]);

/**
 * Members of a request that were said and have no place in what was written, at any depth, each as a finding: nothing
 * is dropped in silence. Lists stand as `[]`, so that a member is told once, however many items have it.
 */
export function lostMembers(
  reported: JsonObject,
  written: JsonObject,
  carriage: Carriage,
): readonly Finding[] {
  // The context is returned by us, whatever is sent to a seller.
  const requested = Object.entries(reported).filter(
    ([name]) => !envelopeArguments.has(name) && name !== 'context',
  );
  return received(lostPaths(Object.fromEntries(requested), written, carriage));
}

/** Paths of members that were given and not written; a path includes everything below it. */
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
 * What else was lost than what findings tell already, with the same `place` in front of each path. A finding of a
 * member tells of all that is within it.
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
  return received(paths.map((path) => `${place}${path}`));
}

/** A path without indexes and keys of items: losses are the same for each item. */
function bareName(field: string): string {
  return field.replace(/\[[^\]]*\]/g, '[]');
}

function isKnown(path: string, known: ReadonlySet<string>): boolean {
  return [...known].some((one) => path === one || path.startsWith(`${one}.`) || path.startsWith(`${one}[`));
}

/** Paths as findings, up to the maximum; one more finding counts the rest. */
export function received(paths: Iterable<string>): readonly Finding[] {
  const all = [...paths];
  const findings = all.slice(0, mostTold).map(notCarried);
  const rest = all.length - findings.length;
  if (rest === 0) return findings;
  const message = `This many more members have no place in the form that is spoken there: ${rest}.`;
  return [...findings, { code: 'NOT_CARRIED', message }];
}

/** The findings, and one for each path that they do not cover: a member's finding covers all within it. */
export function withPaths(findings: readonly Finding[], paths: readonly string[]): readonly Finding[] {
  const known = new Set(findings.map(({ field = '' }) => bareName(field)));
  const fresh = paths.filter((path) => !isKnown(bareName(path), known));
  return fresh.length === 0 ? findings : [...findings, ...fresh.map(notCarried)];
}

export function notCarried(field: string): Finding {
  return { code: 'NOT_CARRIED', message: 'This has no place in the form that is spoken there.', field };
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
    // Parts of a missing object may be carried or handled one by one.
    else if (stop !== undefined && stop.inner.size > 0 && isJsonObject(value))
      compareCounterparts(value, {}, name, { ...walk, stop });
    else if (!isElsewhere(stop, written) && !isOursAlone(name, value))
      walk.lost.add(`${walk.path}${sanitizeKeyName(name)}`);
  }
}

/** What another name carries counts as carried whole: who gave the name has seen to that. */
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
  // A list that became another type, such as a map, was converted on purpose.
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
 * The item that another became: by its key, by its place where none was left out, or whatever any of them has. One
 * that is not there at all was set aside, which is told where it is.
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
  if (key !== undefined) return counterparts.find((one) => member(one, key) === member(item, key));
  if (counterparts.length === length) return counterparts[index];
  return counterparts.length === 0 ? undefined : (Object.assign({}, ...counterparts) as JsonObject);
}

function isEmpty(value: JsonValue): boolean {
  if (value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/** Our own extension is never sent, and is not a loss. */
function othersIn(ext: JsonObject): JsonObject {
  const { [extName]: _ours, ...others } = ext;
  return others;
}

function isOursAlone(name: string, value: JsonValue): boolean {
  return name === 'ext' && isJsonObject(value) && isEmpty(othersIn(value));
}
