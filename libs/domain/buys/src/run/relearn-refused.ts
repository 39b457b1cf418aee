import { isOutdated, taskError, type SellerReply, type TaskError } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import type { Connection } from '@switchyard/sellers';
import { isCallbackRefusal, refusesReports, reportModeSent, wordsOf } from '../call/callback-refusal.js';
import type { LegObservation } from '../model/leg-state.js';
import type { Leg } from '../model/operation.js';
import type { BuysPorts } from '../model/ports.js';
import { isMarketRead } from '../apply/market-read.js';

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
