import { isJsonObject, withoutEndSlashes, type JsonObject, type JsonValue } from '@switchyard/values';
import { type DeploymentTarget, readTarget } from '../entities/signal/deployment.js';
import { booleanAt, listAt, objectAt, objectsAt, textAt, textsAt } from './pick.js';

/** The rows of an answer, each about one item, and how a request names these items. */
interface Rows {
  readonly list: string;
  /** The member of a row with the item's id. */
  readonly id: string;
  /** Members beside the rows with totals of all rows. */
  readonly sums: readonly string[];
  /** The ids in a request of any form; empty where it requests all. */
  readonly requestedIds: (args: JsonObject) => readonly string[];
}

const rowsByTask: Readonly<Record<string, Rows>> = {
  get_media_buys: {
    list: 'media_buys',
    id: 'media_buy_id',
    sums: ['pagination', 'query_summary'],
    requestedIds: requestedBuys,
  },
  get_media_buy_delivery: {
    list: 'media_buy_deliveries',
    id: 'media_buy_id',
    sums: ['aggregated_totals', 'pagination'],
    requestedIds: requestedBuys,
  },
  list_creatives: {
    list: 'creatives',
    id: 'creative_id',
    sums: ['query_summary', 'pagination', 'format_summary', 'status_summary'],
    requestedIds: (args) => [
      ...textsAt(objectAt(args, 'filters'), 'creative_ids'),
      ...textsAt(args, 'creative_ids'),
    ],
  },
  sync_creatives: {
    list: 'creatives',
    id: 'creative_id',
    sums: ['summary'],
    requestedIds: (args) =>
      objectsAt(args, 'creatives').flatMap((creative) => textAt(creative, 'creative_id') ?? []),
  },
};

/**
 * The requested part of a seller's answer. Tenants may share an account at a seller, whose answer may include rows of
 * another tenant: they are removed before anything is read, counted or reported.
 *
 * @param args the request before it was limited to the arguments of the seller's tool.
 */
export function requestedPart(task: string, args: JsonObject, payload: JsonObject): JsonObject {
  if (task === 'activate_signal') return requestedDeployments(args, payload);
  const rows = rowsByTask[task];
  if (rows === undefined) return payload;
  const requested = new Set(rows.requestedIds(args));
  if (requested.size === 0) return payload;
  const answer = task === 'get_media_buy_delivery' ? ofRequestedBuys(payload, requested) : payload;
  const listed = listAt(answer, rows.list);
  if (listed === undefined) return answer;
  const stored = requestedRows(listed, rows, requested, isTakenAway(task, args));
  if (stored.length === listed.length && stored.every((row, index) => row === listed[index])) return answer;
  const others = Object.entries(answer).filter(([name]) => !rows.sums.includes(name));
  return { ...Object.fromEntries(others), [rows.list]: stored };
}

/**
 * A row without an id may be a requested one only if that is missing otherwise. An empty row replaces it, so that a
 * finding reports it but shows nothing of it: it may be another tenant's.
 */
function requestedRows(
  listed: readonly JsonValue[],
  { id }: Rows,
  requested: ReadonlySet<string>,
  isAlsoKept: (row: JsonObject) => boolean,
): JsonValue[] {
  const nameOf = (row: JsonValue): string | undefined => (isJsonObject(row) ? textAt(row, id) : undefined);
  const named = new Set(listed.map(nameOf));
  let missing = [...requested].filter((requestedId) => !named.has(requestedId)).length;
  return listed.flatMap((row): JsonValue[] => {
    const name = nameOf(row);
    if (isJsonObject(row) && name !== undefined) return requested.has(name) || isAlsoKept(row) ? [row] : [];
    if (missing === 0) return [];
    missing -= 1;
    return [{}];
  });
}

/**
 * Creatives deleted by a sync are not named in the request. They are requested by `delete_missing`, which needs an
 * unshared account.
 */
function isTakenAway(task: string, args: JsonObject): (row: JsonObject) => boolean {
  const isRequested = task === 'sync_creatives' && booleanAt(args, 'delete_missing') === true;
  return (row) => isRequested && textAt(row, 'action') === 'deleted';
}

/** The `service` form's answer is about one buy. If the seller names it, it must be a requested one. */
function ofRequestedBuys(payload: JsonObject, requested: ReadonlySet<string>): JsonObject {
  if (listAt(payload, 'media_buy_deliveries') !== undefined) return payload;
  const named = textAt(payload, 'media_buy_id') ?? textAt(objectAt(payload, 'delivery'), 'media_buy_id');
  return named === undefined || requested.has(named) ? payload : {};
}

function requestedBuys(args: JsonObject): readonly string[] {
  const id = textAt(args, 'media_buy_id');
  return [...textsAt(args, 'media_buy_ids'), ...(id === undefined ? [] : [id])];
}

/** The requested deployments of an activated signal; an agent may also list others. */
function requestedDeployments(args: JsonObject, payload: JsonObject): JsonObject {
  const listed = listAt(payload, 'deployments');
  const requested = (listAt(args, 'destinations') ?? listAt(args, 'deployments') ?? []).flatMap(
    (value) => readTarget(value) ?? [],
  );
  if (listed === undefined || requested.length === 0) return payload;
  const places = listed.map(readTarget);
  const isListed = amongPlaces(places.filter((place) => place !== undefined));
  const isRequested = amongPlaces(requested);
  let missing = requested.filter((wanted) => !isListed(wanted)).length;
  const stored = listed.flatMap((row, index): JsonValue[] => {
    const target = places[index];
    if (target !== undefined) return isRequested(target) ? [row] : [];
    missing -= 1;
    return missing < 0 ? [] : [{}];
  });
  return { ...payload, deployments: stored };
}

/**
 * Whether a deployment is one of these. They match if only one of them has an account; any other difference means another
 * one. A list may be long, so each is looked up by its place.
 */
function amongPlaces(targets: readonly DeploymentTarget[]): (target: DeploymentTarget) => boolean {
  const accounts = new Map<string, Set<string | undefined>>();
  for (const target of targets) {
    const place = whereOf(target);
    accounts.set(place, (accounts.get(place) ?? new Set()).add(target.account));
  }
  return (target) => {
    const found = accounts.get(whereOf(target));
    if (found === undefined) return false;
    return target.account === undefined || found.has(undefined) || found.has(target.account);
  };
}

/** Addresses and platforms are compared without case and final slash. */
function whereOf({ type, platform, agentUrl }: DeploymentTarget): string {
  return `${type} ${withoutEndSlashes((type === 'agent' ? agentUrl : platform) ?? '').toLowerCase()}`;
}
