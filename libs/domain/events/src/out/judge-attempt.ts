import type { EgressFailureCode } from '@switchyard/sellers';
import type { Instant } from '@switchyard/values';
import type { OutboxKind } from './outbox-event.js';

/** What came of one POST. `payloadBytes`: the size of its body as it left us. */
export type AttemptResult =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly wwwAuthenticate?: string;
      readonly retryAfter?: string;
      readonly payloadBytes?: number;
    }
  | { readonly kind: 'failure'; readonly code: EgressFailureCode; readonly payloadBytes?: number }
  /** It could not be signed: our own matter, and nothing left us. */
  | { readonly kind: 'unsigned' }
  /** An emergency stop held it: nothing left us, and the attempt does not count. */
  | { readonly kind: 'stopped' };

/** The words of webhook_activity (docs/protocol/webhooks-out.md#activity). */
export type AttemptStatus = 'success' | 'failed' | 'timeout' | 'connection_error' | 'pending';

export interface AttemptJudgement {
  readonly verdict: 'delivered' | 'retry' | 'refused';
  readonly status: Exclude<AttemptStatus, 'pending'>;
  readonly httpStatus?: number;
  /** A stable phrase of ours: nothing of what the receiver wrote. */
  readonly message?: string;
  /** Milliseconds that the receiver asked us to wait. */
  readonly retryAfterMs?: number;
}

/** A receiver that answers so may take the same bytes later; every other 4xx says that it never will. */
const transient: ReadonlySet<number> = new Set([401, 408, 425, 429]);

/**
 * Whether an event is done, tried again, or given up.
 *
 * A 401 is transient: credentials rotate. It ends a task event alone, and only where it names a signature code, for
 * then the receiver has judged these bytes (docs/protocol/webhooks-out.md#attempts). A redirect ends it: a signed body
 * goes to no other address.
 */
export function judgeAttempt(
  result: Exclude<AttemptResult, { readonly kind: 'stopped' }>,
  kind: OutboxKind,
  now: Instant,
): AttemptJudgement {
  if (result.kind === 'unsigned')
    return { verdict: 'retry', status: 'connection_error', message: 'could not be signed; nothing was sent' };
  if (result.kind === 'failure') return judgeFailure(result.code);
  const { status, wwwAuthenticate, retryAfter } = result;
  if (status >= 200 && status < 300) return { verdict: 'delivered', status: 'success', httpStatus: status };
  const code = signatureCodeOf(wwwAuthenticate);
  const isEnd =
    status < 500 && (!transient.has(status) || (status === 401 && kind === 'task' && code !== undefined));
  const retryAfterMs = isEnd ? undefined : waitOf(retryAfter, now);
  return {
    verdict: isEnd ? 'refused' : 'retry',
    status: 'failed',
    httpStatus: status,
    message: `HTTP ${status}${code === undefined || status !== 401 ? '' : ` ${code}`}`,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** What our guard refuses it refuses again; what broke on the way may come through later. */
function judgeFailure(code: EgressFailureCode): AttemptJudgement {
  const message = code.replaceAll('_', ' ');
  if (code.startsWith('blocked_')) return { verdict: 'refused', status: 'connection_error', message };
  if (code === 'redirect_refused') return { verdict: 'refused', status: 'failed', message };
  return { verdict: 'retry', status: code === 'timeout' ? 'timeout' : 'connection_error', message };
}

/** The `webhook_*` code of a Signature challenge, if the answer has one. */
function signatureCodeOf(challenge: string | undefined): string | undefined {
  return /(?:^|,)\s*Signature\s[^,]*?error="?(webhook_[a-z_]{1,60})/i.exec(challenge ?? '')?.[1];
}

/** `Retry-After` in either spelling. Nonsense and the past ask for nothing. */
function waitOf(value: string | undefined, now: Instant): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value.trim()) * 1_000;
  const at = Date.parse(value);
  return Number.isNaN(at) || at <= now ? undefined : at - now;
}
