import { createHash } from 'node:crypto';
import { errorRule, type SellerReply } from '@switchyard/protocol';
import type { TransportFailure } from '@switchyard/sellers';
import type { Clock, Result } from '@switchyard/values';
import { failureAsError, type SellerReport } from './call-seller.js';

/** Maximum number of repeats of a request after a transient error (docs/protocol/errors.md#sending-again). */
const repeatsAtMost = 3;
/** Repeats begin within this time, in milliseconds; later repeats are up to the buyer. */
const withinMs = 10_000;
/** Errors that the same bytes would get again: a newer state must be read first, or a person must decide. */
const notBySending: ReadonlySet<string> = new Set(['CONFLICT', 'CAMPAIGN_SUSPENDED']);

type Reported = Result<SellerReport, TransportFailure>;

/**
 * Sends a request, and repeats it after a pause while the seller reports a transient error. `send` must use
 * the same key and bytes each time; only for sellers that support idempotency.
 *
 * The last reply is the outcome. A repeat that certainly did not arrive does not replace the reply before.
 */
export async function sendWithRetries(
  clock: Clock,
  legId: string,
  send: () => Promise<Reported>,
  signal: AbortSignal,
): Promise<Reported> {
  const endsAt = clock.now() + withinMs;
  let reported = await send();
  for (let repeat = 1; repeat <= repeatsAtMost; repeat += 1) {
    const reply = replyTo(reported);
    if (reply === undefined || !mayPass(reply)) return reported;
    const pauseMs = pauseOf(legId, repeat, reply);
    if (clock.now() + pauseMs > endsAt) return reported;
    await new Promise<void>((resolve) => {
      clock.after(pauseMs, resolve);
    });
    if (signal.aborted) return reported;
    const again = await send();
    if (!again.ok && again.error.delivered === 'no' && replyTo(again) === undefined) return reported;
    reported = again;
  }
  return reported;
}

type Failed = Pick<SellerReply, 'status' | 'errors'>;

/** The seller's reply; a refusal of too many requests (HTTP 429) is one as well, and was not acted on. */
function replyTo(reported: Reported): Failed | undefined {
  if (reported.ok) return reported.value.reply;
  return reported.error.httpStatus === 429
    ? { status: 'failed', errors: [failureAsError(reported.error, '')] }
    : undefined;
}

/** Whether every error of a failed answer is transient. */
function mayPass({ status, errors }: Failed): boolean {
  if (status !== 'failed' && status !== 'rejected') return false;
  return (
    errors.length > 0 &&
    errors.every(
      ({ code, recovery }) =>
        (recovery ?? errorRule(code).recovery) === 'transient' && !notBySending.has(code),
    )
  );
}

/** The pause requested by the seller; else 2 s, doubled each time, plus or minus a quarter. */
function pauseOf(legId: string, repeat: number, reply: Failed): number {
  const wanted = retryAfterMs(reply);
  if (wanted !== undefined) return wanted;
  const spread = createHash('sha256').update(`${legId} ${repeat}`).digest().readUInt16BE(0) / 0xffff;
  return Math.round(pauseBeforeRetryMs(repeat) * (0.75 + spread / 2));
}

/** The pause that a seller requests, in milliseconds: the longest of its errors. */
export function retryAfterMs({ errors }: Pick<SellerReply, 'errors'>): number | undefined {
  const received = errors.flatMap(({ retryAfter }) => (retryAfter === undefined ? [] : [retryAfter * 1_000]));
  return received.length === 0 ? undefined : Math.max(...received);
}

/** Milliseconds before the next attempt after `attempts` sends: 2 s, doubled each time, at most 60 s. */
export function pauseBeforeRetryMs(attempts: number): number {
  return Math.min(60_000, 2_000 * 2 ** Math.max(0, attempts - 1));
}
