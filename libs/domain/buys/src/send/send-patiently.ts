import { createHash } from 'node:crypto';
import { errorRule, type SellerReply } from '@switchyard/protocol';
import type { TransportFailure } from '@switchyard/sellers';
import type { Clock, Result } from '@switchyard/values';
import type { SellerReport } from './call-seller.js';
import { pauseBeforeRetryMs } from './resume-leg.js';

/**
 * So often one request is repeated because its seller says that the failure may pass
 * (docs/protocol/errors.md#sending-again).
 */
const repeatsAtMost = 3;
/** Repetitions begin within this time, in milliseconds, so that their outcome is the answer: more is the buyer's to wait. */
const withinMs = 10_000;
/** What the same bytes would only be told again: a newer state has to be read first, or a person has to decide. */
const notBySending: ReadonlySet<string> = new Set(['CONFLICT', 'CAMPAIGN_SUSPENDED']);

type Said = Result<SellerReport, TransportFailure>;

/**
 * Sends a request, and sends it again after a pause as long as its seller says that it failed for a reason that may
 * pass. `send` gives the same key and the same bytes each time; only for sellers that promise to know a key again.
 *
 * The last that was said is the outcome. A repetition that certainly did not arrive leaves what was said before.
 */
export async function sendPatiently(
  clock: Clock,
  legId: string,
  send: () => Promise<Said>,
  signal: AbortSignal,
): Promise<Said> {
  const endsAt = clock.now() + withinMs;
  let reported = await send();
  for (let repeat = 1; repeat <= repeatsAtMost && reported.ok && mayPass(reported.value.reply); repeat += 1) {
    const pauseMs = pauseOf(legId, repeat, reported.value.reply);
    if (clock.now() + pauseMs > endsAt) return reported;
    await new Promise<void>((resolve) => {
      clock.after(pauseMs, resolve);
    });
    if (signal.aborted) return reported;
    const again = await send();
    if (!again.ok && again.error.delivered === 'no') return reported;
    reported = again;
  }
  return reported;
}

/** Every error of a failed answer is one of those that may pass by themselves. */
function mayPass({ status, errors }: SellerReply): boolean {
  if (status !== 'failed' && status !== 'rejected') return false;
  return (
    errors.length > 0 &&
    errors.every(
      ({ code, recovery }) =>
        (recovery ?? errorRule(code).recovery) === 'transient' && !notBySending.has(code),
    )
  );
}

/** What the seller asks for wins; else 2 s and then twice as long each time, a quarter more or less. */
function pauseOf(legId: string, repeat: number, reply: SellerReply): number {
  const wanted = retryAfterMs(reply);
  if (wanted !== undefined) return wanted;
  const spread = createHash('sha256').update(`${legId} ${repeat}`).digest().readUInt16BE(0) / 0xffff;
  return Math.round(pauseBeforeRetryMs(repeat) * (0.75 + spread / 2));
}

/** How long a seller asks to be left alone, in milliseconds: the longest that any of its errors says. */
export function retryAfterMs({ errors }: Pick<SellerReply, 'errors'>): number | undefined {
  const received = errors.flatMap(({ retryAfter }) => (retryAfter === undefined ? [] : [retryAfter * 1_000]));
  return received.length === 0 ? undefined : Math.max(...received);
}
