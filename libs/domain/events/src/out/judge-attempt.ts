import type { EgressFailureCode } from '@switchyard/sellers';
import type { Instant } from '@switchyard/values';
import type { OutboxKind } from './outbox-event.js';

/** The result of one POST. `payloadBytes`: the size of the sent body. */
export type AttemptResult =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly wwwAuthenticate?: string;
      readonly retryAfter?: string;
      readonly payloadBytes?: number;
    }
  | { readonly kind: 'failure'; readonly code: EgressFailureCode; readonly payloadBytes?: number }
  /** Signing failed here; nothing was sent. */
  | { readonly kind: 'unsigned' }
  /** An emergency stop held it: nothing was sent, and the attempt does not count. */
  | { readonly kind: 'stopped' };

/** The status values of webhook_activity (docs/protocol/webhooks-out.md#activity). */
export type AttemptStatus = 'success' | 'failed' | 'timeout' | 'connection_error' | 'pending';

export interface AttemptJudgement {
  readonly verdict: 'delivered' | 'retry' | 'refused';
  readonly status: Exclude<AttemptStatus, 'pending'>;
  readonly httpStatus?: number;
  /** A fixed text; it contains nothing from the receiver. */
  readonly message?: string;
  /** Milliseconds of the receiver's `Retry-After`. */
  readonly retryAfterMs?: number;
  /** True for an answer of a receiver that may be missing only now: it is retried for `missingHorizonMs`. */
  readonly isMissing?: true;
}

/** Statuses after which a receiver may accept the same bytes later; every other 4xx is final, except the next ones. */
const transient: ReadonlySet<number> = new Set([401, 408, 425, 429]);

/** Statuses of a receiver that is being deployed or moved, or that is gone. Only time tells which. */
export const missingStatuses: ReadonlySet<number> = new Set([403, 404, 410]);

/**
 * Decides whether an event is delivered, retried or given up.
 *
 * A 401 is transient, because credentials rotate. It is final only for a task event, and only with a
 * signature code, which shows that the receiver verified these bytes
 * (docs/protocol/webhooks-out.md#attempts). A 403, 404 or 410 is retried for an hour. A redirect is final: a signed body is sent to no other address.
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
  const isMissing = missingStatuses.has(status);
  const isEnd =
    !isMissing &&
    status < 500 &&
    (!transient.has(status) || (status === 401 && kind === 'task' && code !== undefined));
  const retryAfterMs = isEnd ? undefined : waitOf(retryAfter, now);
  return {
    verdict: isEnd ? 'refused' : 'retry',
    status: 'failed',
    httpStatus: status,
    message: `HTTP ${status}${code === undefined || status !== 401 ? '' : ` ${code}`}`,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(isMissing && { isMissing }),
  };
}

/** A block by our own guard is permanent; a network failure may pass. */
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

/** Milliseconds of a `Retry-After` in either format; undefined for invalid and past values. */
function waitOf(value: string | undefined, now: Instant): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value.trim()) * 1_000;
  const at = Date.parse(value);
  return Number.isNaN(at) || at <= now ? undefined : at - now;
}
