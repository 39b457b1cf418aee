import { errorRule, type SellerReply, type TaskError } from '@switchyard/protocol';
import type { ReportMode } from '@switchyard/sellers';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { Leg } from '../model/operation.js';
import { outboundOf } from '../model/outbound.js';

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
