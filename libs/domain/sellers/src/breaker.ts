import type { Instant } from '@switchyard/values';

/**
 * Thresholds of a breaker. Times are in milliseconds. Only consecutive failures count: a seller that fails every third
 * call still answers the other two.
 */
export interface BreakerPolicy {
  readonly failuresToOpen: number;
  /** How long the breaker stays open at first. Each failed probe doubles it, up to `openForCapMs`. */
  readonly openForMs: number;
  readonly openForCapMs: number;
  /** A leg that was aborted earlier than this does not count as a failure: its caller had a short deadline. */
  readonly slowCountsFromMs: number;
  /** How long a refused credential is not used before it is tried again. */
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
  /** Consecutive failures. */
  readonly failures: number;
  /** When it opened, or when the current probe started. */
  readonly since: Instant;
  readonly openForMs: number;
}

/** `abandoned`: the caller stopped waiting too early to judge the seller. */
export type Verdict = 'ok' | 'failed' | 'abandoned';

type Admission =
  | { readonly admitted: true; readonly probe: boolean; readonly state: BreakerState }
  | { readonly admitted: false; readonly retryAt: Instant; readonly state: BreakerState };

export function closedBreaker(policy: BreakerPolicy): BreakerState {
  return { phase: 'closed', failures: 0, since: 0, openForMs: policy.openForMs };
}

/**
 * Decides whether a call may start. An open breaker admits exactly one probe after its time has passed, and refuses all
 * other calls until the probe has reported. A probe that does not report expires after the same time; otherwise a lost
 * report would block the seller permanently.
 */
export function admit(state: BreakerState, at: Instant): Admission {
  if (state.phase === 'closed') return { admitted: true, probe: false, state };
  const retryAt = state.since + state.openForMs;
  if (at < retryAt) return { admitted: false, retryAt, state };
  return { admitted: true, probe: true, state: { ...state, phase: 'half_open', since: at } };
}

/**
 * Records the result of an admitted call. While the breaker is not closed, only its probe counts: calls that started
 * before it opened may end late and prove nothing.
 */
export function record(
  state: BreakerState,
  { verdict, probe, at }: { readonly verdict: Verdict; readonly probe: boolean; readonly at: Instant },
  policy: BreakerPolicy,
): BreakerState {
  if (state.phase === 'closed') return recordClosed(state, verdict, policy, at);
  if (!probe || state.phase === 'open') return state;
  if (verdict === 'ok') return closedBreaker(policy);
  // The probe gave no result: open again, and let the next caller probe at once.
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
