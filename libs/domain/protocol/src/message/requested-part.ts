import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { type DeploymentTarget, readTarget } from '../entities/signal/deployment.js';
import { booleanAt, listAt, objectAt, objectsAt, textAt, textsAt } from './pick.js';

/** The rows of an answer that are about one thing each, and how a request names those things. */
interface Rows {
  readonly list: string;
  /** The member of a row that names its thing. */
  readonly id: string;
  /** What stands beside the rows and counts all of them. */
  readonly sums: readonly string[];
  /** The ids that a request names, in whichever form; none where it asks for whatever there is. */
  readonly requestedIds: (args: JsonObject) => readonly string[];
}

const rowsByTask: Readonly<Record<string, Rows>> = {
  get_media_buys: {
    list: 'media_buys',
    id: 'media_buy_id',
    sums: ['pagination', 'query_summary'],
    requestedIds: buysAsked,
  },
  get_media_buy_delivery: {
    list: 'media_buy_deliveries',
    id: 'media_buy_id',
    sums: ['aggregated_totals', 'pagination'],
    requestedIds: buysAsked,
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
    requestedIds: (args) => objectsAt(args, 'creatives').flatMap((one) => textAt(one, 'creative_id') ?? []),
  },
};

/**
 * The part of a seller's answer that was asked for. Tenants may share one account at a seller, and one that answers with
 * more than it was asked for may show what is another's: that goes before anything is read, counted or told of it.
 *
 * @param args the request as it was meant for the seller, before its tool's own list of arguments cut it down.
 */
export function requestedPart(task: string, args: JsonObject, payload: JsonObject): JsonObject {
  if (task === 'activate_signal') return placesAsked(args, payload);
  const rows = rowsByTask[task];
  if (rows === undefined) return payload;
  const requested = new Set(rows.requestedIds(args));
  if (requested.size === 0) return payload;
  const answer = task === 'get_media_buy_delivery' ? ofBuysAsked(payload, requested) : payload;
  const listed = listAt(answer, rows.list);
  if (listed === undefined) return answer;
  const stored = rowsAsked(listed, rows, requested, isTakenAway(task, args));
  if (stored.length === listed.length && stored.every((row, index) => row === listed[index])) return answer;
  const others = Object.entries(answer).filter(([name]) => !rows.sums.includes(name));
  return { ...Object.fromEntries(others), [rows.list]: stored };
}

/**
 * A row that names nothing may be about what was asked for only as long as that is missing otherwise. Its place is
 * kept, so that it is told that a row is odd, and nothing else of it: it may be anybody's.
 */
function rowsAsked(
  listed: readonly JsonValue[],
  { id }: Rows,
  requested: ReadonlySet<string>,
  isAlsoKept: (row: JsonObject) => boolean,
): JsonValue[] {
  const nameOf = (row: JsonValue): string | undefined => (isJsonObject(row) ? textAt(row, id) : undefined);
  const named = new Set(listed.map(nameOf));
  let missing = [...requested].filter((one) => !named.has(one)).length;
  return listed.flatMap((row): JsonValue[] => {
    const name = nameOf(row);
    if (isJsonObject(row) && name !== undefined) return requested.has(name) || isAlsoKept(row) ? [row] : [];
    if (missing === 0) return [];
    missing -= 1;
    return [{}];
  });
}

/** What a sync has taken away was not named in it; that is asked for with one word, where nobody else is in the account. */
function isTakenAway(task: string, args: JsonObject): (row: JsonObject) => boolean {
  const isRequested = task === 'sync_creatives' && booleanAt(args, 'delete_missing') === true;
  return (row) => isRequested && textAt(row, 'action') === 'deleted';
}

/** The `service` form's answer is about one buy, which a seller may name: then it has to be one that was asked about. */
function ofBuysAsked(payload: JsonObject, requested: ReadonlySet<string>): JsonObject {
  if (listAt(payload, 'media_buy_deliveries') !== undefined) return payload;
  const named = textAt(payload, 'media_buy_id') ?? textAt(objectAt(payload, 'delivery'), 'media_buy_id');
  return named === undefined || requested.has(named) ? payload : {};
}

function buysAsked(args: JsonObject): readonly string[] {
  const one = textAt(args, 'media_buy_id');
  return [...textsAt(args, 'media_buy_ids'), ...(one === undefined ? [] : [one])];
}

/** Of a signal that was activated the places that were asked for; an agent may show at which others it is live. */
function placesAsked(args: JsonObject, payload: JsonObject): JsonObject {
  const listed = listAt(payload, 'deployments');
  const requested = (listAt(args, 'destinations') ?? listAt(args, 'deployments') ?? []).flatMap(
    (one) => readTarget(one) ?? [],
  );
  if (listed === undefined || requested.length === 0) return payload;
  const places = listed.map(readTarget);
  let missing = requested.filter((wanted) => !places.some((one) => one && isPlace(wanted, one))).length;
  const stored = listed.flatMap((one, index): JsonValue[] => {
    const target = places[index];
    if (target !== undefined) return requested.some((wanted) => isPlace(wanted, target)) ? [one] : [];
    missing -= 1;
    return missing < 0 ? [] : [{}];
  });
  return { ...payload, deployments: stored };
}

/** A place whose account only one of the two names may be the same; whatever else differs makes it another. */
function isPlace(wanted: DeploymentTarget, reported: DeploymentTarget): boolean {
  if (wanted.type !== reported.type || whereOf(wanted) !== whereOf(reported)) return false;
  return (
    wanted.account === undefined || reported.account === undefined || wanted.account === reported.account
  );
}

/** Addresses and names of platforms are the same in any case, and with a slash at their end. */
function whereOf({ type, platform, agentUrl }: DeploymentTarget): string {
  return ((type === 'agent' ? agentUrl : platform) ?? '').replace(/\/+$/, '').toLowerCase();
}
