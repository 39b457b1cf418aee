import { isOutdated, taskError, type SellerReply, type TaskError, errorRule } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import type { Connection, ReportMode } from '@switchyard/sellers';
import type { LegObservation } from '../model/leg-state.js';
import type { Leg } from '../model/operation.js';
import type { BuysPorts } from '../model/ports.js';
import { isMarketRead } from '../apply/market-read.js';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import { outboundOf } from '../model/outbound.js';

type RefusedLeg = Pick<Leg, 'connectionId' | 'seller' | 'task'> & Partial<Pick<Leg, 'sealed'>>;

const repeat =
  'Send it again as a new request, under another idempotency_key (or, in a protocol version without keys, another buyer_ref): it ' +
  'goes to this seller in what the seller speaks by then.';

/** Errors about registrations, which the buyer did not write: their fields mean nothing to it, their words do. */
function callbackRefused({ seller }: RefusedLeg, reply: SellerReply): TaskError {
  const message = `The seller ${seller} refused a webhook address of ours, and did nothing. It said: ${wordsOf(reply)}`;
  return taskError('CONFIGURATION_ERROR', message, { suggestion: repeat, details: { seller } });
}

/**
 * Adds a suggestion to refusals of the version that arrive later, by poll or webhook. Such a leg is not
 * encoded again: only the process that planned it can do that. The seller's own error is about our version,
 * so the suggestion tells the buyer how to repeat the request.
 */
export function withRepeatSuggestion(leg: RefusedLeg, update: LegObservation): LegObservation {
  if (leg.sealed === true || isMarketRead(leg.task)) return update;
  if (isCallbackRefusal(update.reply))
    return { ...update, reply: { ...update.reply, errors: [callbackRefused(leg, update.reply)] } };
  if (!isRefusedLater(update)) return update;
  const errors = update.reply.errors.map((error) => {
    const { suggestion } = error;
    return { ...error, suggestion: suggestion === undefined ? repeat : `${suggestion} ${repeat}` };
  });
  return { ...update, reply: { ...update.reply, errors } };
}

/** Reads the seller's version again after such a refusal, so that a repeat of the buyer uses it. */
export async function relearnRefused(
  ports: Partial<Pick<BuysPorts, 'relearn' | 'learnReports' | 'connections'>>,
  scope: TenantScope,
  leg: Leg,
  update: LegObservation,
): Promise<void> {
  const { relearn, learnReports, connections } = ports;
  const isReports = leg.sealed !== true && refusesReports(leg, update.reply);
  if (!isReports && !isRefusedLater(update)) return;
  const connection = await connections?.byId(scope, leg.connectionId).catch(() => undefined);
  if (connection === undefined) return;
  if (isReports) await learnReports?.(scope, connection, reportModeSent(leg)).catch(() => undefined);
  else if (relearn !== undefined) await relearnOutdated({ relearn }, scope, connection, update.reply);
}

/** A direct answer is handled by the sender of the request. */
function isRefusedLater({ source, reply }: LegObservation): boolean {
  return source !== 'inline' && isWhollyOutdated(reply);
}

function isWhollyOutdated({ status, errors }: SellerReply): boolean {
  const isRefused = status === 'failed' || status === 'rejected';
  return isRefused && errors.length > 0 && errors.every((error) => isOutdated({ errors: [error] }));
}

/**
 * Reads the version and tasks of a seller again after it refused a change because of them. The seller has
 * done nothing, and its error is returned, because the bytes were frozen before. The buyer's answer waits for
 * this, so that a repeat finds the current version.
 */
export async function relearnOutdated(
  ports: Pick<BuysPorts, 'relearn'>,
  scope: TenantScope,
  connection: Connection,
  reply: Pick<SellerReply, 'errors'>,
): Promise<void> {
  // If the seller cannot be read, its stored version stays.
  if (isOutdated(reply)) await ports.relearn?.(scope, connection).catch(() => undefined);
}

const reports = 'reporting_webhook';
const callbacks: readonly string[] = [reports, 'push_notification_config'];

/** Whether a seller refused a request only because of its callback registrations, which the buyer did not write. */
export function isCallbackRefusal(reply: SellerReply): boolean {
  return isRefusedFor(reply, (name) => callbacks.includes(name));
}

/** Whether a seller refused a leg only because of the registration of its delivery reports. */
export function refusesReports(leg: Pick<Leg, 'id' | 'outbound'>, reply: SellerReply): boolean {
  return isRefusedFor(reply, (name) => name === reports) && outboundOf(leg)[reports] !== undefined;
}

/**
 * Whether a seller refused a leg only because of an address of ours: it takes none of this host, or none at all. Without
 * an address it can do the same, and is polled (docs/protocol/webhooks-in.md#registration).
 */
export function refusesAddress(leg: Pick<Leg, 'id' | 'outbound'>, reply: SellerReply): boolean {
  const sent = outboundOf(leg);
  if (!isCallbackRefusal(reply) || callbacks.every((name) => sent[name] === undefined)) return false;
  return !refusesReports(leg, reply) || reply.errors.every(isAboutUrl);
}

function isAboutUrl({ field = '', issues = [], message }: TaskError): boolean {
  const places = [field, ...issues.map(({ pointer }) => pointer)];
  return (
    places.some((place) => typeof place === 'string' && /[./]url$/.test(place)) ||
    (!/authentication/i.test(message) && /\b(url|uri|host|hostname|address|loopback|https)\b/i.test(message))
  );
}

/** What a seller said when it refused, in one line: text of the seller. */
export function wordsOf({ errors }: Pick<SellerReply, 'errors'>): string {
  return errors
    .map(({ code, message }) => `${code}: ${message}`)
    .join(' ')
    .slice(0, 500);
}

/** The authentication of delivery reports that a leg requested. */
export function reportModeSent(leg: Pick<Leg, 'id' | 'outbound'>): ReportMode {
  const { authentication } = outboundOf(leg)[reports] as JsonObject;
  if (!isJsonObject(authentication)) return 'signed';
  return JSON.stringify(authentication['schemes']) === '["Bearer"]' ? 'bearer' : 'hmac-sha256';
}

function isRefusedFor({ status, errors }: SellerReply, isIt: (name: string) => boolean): boolean {
  if (status !== 'failed' && status !== 'rejected') return false;
  return errors.length > 0 && errors.every((error) => isFinal(error) && namesAlone(error, isIt));
}

function isFinal({ code, recovery }: TaskError): boolean {
  return (recovery ?? errorRule(code).recovery) !== 'transient';
}

/** By the paths in the error; by its message where it has none. */
function namesAlone({ field, issues = [], message }: TaskError, isIt: (name: string) => boolean): boolean {
  const places = [field, ...issues.map(({ pointer }) => pointer)].filter(
    (pointer) => typeof pointer === 'string',
  );
  if (places.length === 0)
    return isIt(/\b(reporting_webhook|push_notification_config)\b/.exec(message)?.[0] ?? '');
  return places.every((place) => isIt(place.replace(/^[/.]/, '').split(/[/.[]/)[0] ?? ''));
}
