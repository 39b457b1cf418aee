import { releases, schemasOf, type Published } from '@switchyard/testing';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { ProjectedRequest } from '../../task-spec.js';
import { taskTable, type AnyTaskSpec } from '../../task-table.js';
import { messagesOf } from './message.js';
import { profileAt, spokenBy, type Peer } from './peers.js';
import { whyNeverMade } from './never-made.js';
import { publishedTasks } from './published.js';

type Row = keyof typeof taskTable;
const key = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
const made = new Map<string, readonly JsonObject[]>();
/** Values of closed lists are used in turn: each seed gives others. */
const seeds = [7, 11, 13, 17, 19, 23];

/** The path of a task's request schema in a release. */
export function requestPath(release: Published, row: Row): string | undefined {
  const path = publishedTasks(release).find(([name]) => name === row)?.[1];
  return path === undefined ? undefined : `${path}-request`;
}

/**
 * Requests of a form with every member in its schemas, made once. The `service` form has no schemas: its requests are
 * those of other forms, converted.
 */
export function requestsIn(row: Row, form: Peer): readonly JsonObject[] {
  const name = `${form} ${row}`;
  const before = made.get(name);
  if (before !== undefined) return before;
  const all = form === 'service' ? inService(row) : ofRelease(row, form);
  made.set(name, all);
  return all;
}

function ofRelease(row: Row, release: Published): readonly JsonObject[] {
  const path = requestPath(release, row);
  if (path === undefined) return [];
  const isRead = (message: JsonObject): boolean => readIn(row, message, release) !== undefined;
  const isNeverMade = (at: string): boolean => whyNeverMade(`${release} ${row} request`, at) !== undefined;
  return seeds.flatMap(
    (seed) => messagesOf(schemasOf(release), path, seed, { isRead, isNeverMade }).messages,
  );
}

function inService(row: Row): readonly JsonObject[] {
  return releases.flatMap((release) =>
    requestsIn(row, release).flatMap((message) => {
      const sent = sentTo(row, message, release, 'service');
      return sent === undefined || sent.notExpressible !== undefined ? [] : [onWire(sent.args)];
    }),
  );
}

function readIn(row: Row, message: JsonObject, form: Peer): object | undefined {
  const spec: AnyTaskSpec = taskTable[row];
  // One release allows any text as a key; no reader accepts a short one.
  const keyed = 'idempotency_key' in message ? { ...message, idempotency_key: key } : message;
  const read = spec.readRequest(spokenBy(form, keyed), profileAt(form), new Map());
  return read.ok ? (read.value as object) : undefined;
}

/** Converts a request of one form for a seller of another, with our own members; undefined if it is not readable. */
export function sentTo(row: Row, message: JsonObject, from: Peer, to: Peer): ProjectedRequest | undefined {
  const spec: AnyTaskSpec = taskTable[row];
  const read = readIn(row, message, from);
  return read === undefined ? undefined : spec.projectRequest(withOurs(row, read), profileAt(to));
}

/** Adds our members of each leg: account, key, URLs, and the seller's ids instead of the caller's references. */
function withOurs(row: Row, read: object): object {
  const reported = read as Readonly<Record<string, unknown>>;
  const ours = {
    ...reported,
    account: { brand: { domain: 'brand.example' }, operator: 'agency.example' },
    idempotencyKey: key,
    ...(reported['push'] === undefined ? {} : { push: { url: 'https://us.example/w', operationId: 'op' } }),
    ...(reported['reportingWebhook'] === undefined
      ? {}
      : { reportingWebhook: { url: 'https://us.example/r' } }),
  };
  if (row === 'providePerformanceFeedback') return { ...ours, mediaBuyId: 'b' };
  if (row !== 'updateMediaBuy') return ours;
  const packages = (reported['packages'] as readonly object[]).map((item, at) => ({
    ...item,
    packageId: `p${at}`,
  }));
  return { ...ours, mediaBuyId: 'b', packages };
}

/** The message as received. */
export function onWire(args: JsonObject): JsonObject {
  const sent: unknown = JSON.parse(JSON.stringify(args));
  return isJsonObject(sent) ? sent : {};
}
