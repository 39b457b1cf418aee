import { taskError, type TaskError } from '@switchyard/protocol';
import type { Caller } from '../task-call.js';

/** What a request costs: a question, a change, or an attempt at showing who one is that failed. */
export type RateKind = 'read' | 'write' | 'failure';

/** Why somebody has to wait. */
export interface RateRefusal {
  /** Whole seconds, at least 1. */
  readonly retryAfter: number;
  /** Requests that may come within `windowSeconds`. */
  readonly limit: number;
  readonly windowSeconds: number;
}

/** Who may ask how often. Each caller has budgets of its own, so that none can use up another's. */
export interface RateLimits {
  /** Takes one request out of the budget; the refusal where there is nothing left. */
  readonly take: (who: string, kind: RateKind) => RateRefusal | undefined;
  /** Puts back what one `take` took, where the same request is charged in another place or as another kind. */
  readonly giveBack: (who: string, kind: RateKind) => void;
}

/** Whose budget a request comes out of: the principal's, or without credentials the address's. */
export function rateKeyOf(caller: Caller): string {
  return caller.kind === 'principal' ? `principal:${caller.principalId}` : `address:${caller.address ?? ''}`;
}

export function rateError(refusal: RateRefusal, scope: 'account' | 'global' = 'account'): TaskError {
  const { retryAfter, limit, windowSeconds } = refusal;
  return taskError('RATE_LIMITED', 'There were too many requests: wait before you send the next.', {
    retryAfter,
    details: { limit, remaining: 0, window_seconds: windowSeconds, scope },
  });
}
