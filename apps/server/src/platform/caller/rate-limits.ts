import { taskError, type TaskError } from '@switchyard/protocol';
import type { Caller } from '../tasks/call/task-call.js';

/** What a request counts as: a read, a change, or a failed authentication. */
export type RateKind = 'read' | 'write' | 'failure';

/** Why a caller has to wait. */
export interface RateRefusal {
  /** Whole seconds, at least 1. */
  readonly retryAfter: number;
  /** Requests allowed within `windowSeconds`. */
  readonly limit: number;
  readonly windowSeconds: number;
}

/** Rate limits. Each caller has its own budgets, so that none can use up another's. */
export interface RateLimits {
  /** Takes one request from the budget; the refusal if it is empty. */
  readonly take: (who: string, kind: RateKind) => RateRefusal | undefined;
  /** Returns what one `take` took, if the same request is counted elsewhere or as another kind. */
  readonly giveBack: (who: string, kind: RateKind) => void;
}

/** The budget of a request: the principal's, or without credentials the address's. */
export function rateKeyOf(caller: Caller): string {
  return caller.kind === 'principal' ? `principal:${caller.principalId}` : `address:${caller.address ?? ''}`;
}

export function rateError(refusal: RateRefusal): TaskError {
  const { retryAfter, limit, windowSeconds } = refusal;
  return taskError('RATE_LIMITED', 'Too many requests: wait before you send the next.', {
    retryAfter,
    details: { limit, remaining: 0, window_seconds: windowSeconds, scope: 'account' },
  });
}
