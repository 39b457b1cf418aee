import type { Instant } from '@switchyard/values';

/**
 * Thresholds of a breaker, as values. Times are milliseconds.
 *
 * Only failures in a row count: a seller that fails every third call still serves the other two.
 */
export interface BreakerPolicy {
  readonly failuresToOpen: number;
  /** How long it stays open the first time. Each failed probe doubles it, up to `openForCapMs`. */
  readonly openForMs: number;
  readonly openForCapMs: number;
  /** A leg that was cut off earlier than this says nothing about the seller: the caller was in a hurry. */
  readonly slowCountsFromMs: number;
  /** How long a refused credential rests before it is tried once more. */
  readonly credentialPauseMs: number;
}

export const defaultBreakerPolicy: BreakerPolicy = {
  failuresToOpen: 3,
  openForMs: 15_000,
  openForCapMs: 300_000,
  slowCountsFromMs: 5_000,
  credentialPauseMs: 60_000,
};

export type BreakerPhase = 'closed' | 'open' | 'half_open';

export interface BreakerState {
  readonly phase: BreakerPhase;
  /** Failures in a row. */
  readonly failures: number;
  /** When it opened, or when the probe under way set out. */
  readonly since: Instant;
  readonly openForMs: number;
}

/** `abandoned`: nobody waited long enough to learn anything. */
export type Verdict = 'ok' | 'failed' | 'abandoned';

export type Admission =
  | { readonly admitted: true; readonly probe: boolean; readonly state: BreakerState }
  | { readonly admitted: false; readonly retryAt: Instant; readonly state: BreakerState };

export function closedBreaker(policy: BreakerPolicy): BreakerState {
  return { phase: 'closed', failures: 0, since: 0, openForMs: policy.openForMs };
}

/**
 * Says whether a call may set out. An open breaker lets exactly one probe through once its time has passed; until
 * that probe has reported, everybody else is turned away. A probe that never reports is given up after the same
 * time, or a lost report would shut the seller out for good.
 */
export function admit(state: BreakerState, at: Instant): Admission {
  if (state.phase === 'closed') return { admitted: true, probe: false, state };
  const retryAt = state.since + state.openForMs;
  if (at < retryAt) return { admitted: false, retryAt, state };
  return { admitted: true, probe: true, state: { ...state, phase: 'half_open', since: at } };
}

/**
 * Takes in how an admitted call went. While the breaker is not closed only its probe is heard: calls that set out
 * before it opened come back late and prove nothing.
 */
export function record(
  state: BreakerState,
  { verdict, probe, at }: { readonly verdict: Verdict; readonly probe: boolean; readonly at: Instant },
  policy: BreakerPolicy,
): BreakerState {
  if (state.phase === 'closed') return recordClosed(state, verdict, policy, at);
  if (!probe || state.phase === 'open') return state;
  if (verdict === 'ok') return closedBreaker(policy);
  // Nobody learned anything: open again, and let the next caller probe at once.
  if (verdict === 'abandoned') return { ...state, phase: 'open', since: at - state.openForMs };
  const openForMs = Math.min(state.openForMs * 2, policy.openForCapMs);
  return { phase: 'open', failures: state.failures + 1, since: at, openForMs };
}

function recordClosed(
  state: BreakerState,
  verdict: Verdict,
  policy: BreakerPolicy,
  at: Instant,
): BreakerState {
  if (verdict === 'abandoned') return state;
  if (verdict === 'ok') return state.failures === 0 ? state : closedBreaker(policy);
  const failures = state.failures + 1;
  if (failures < policy.failuresToOpen) return { ...state, failures };
  return { phase: 'open', failures, since: at, openForMs: policy.openForMs };
}
