import type { Instant } from '@switchyard/values';
import type { BreakerPhase } from './breaker.js';

/** A breaker changed its phase, or a credential was refused: what the connection's health row shows. */
export interface HealthChange {
  readonly organizationId: string;
  readonly connectionId: string;
  readonly breaker: BreakerPhase;
  /** Failures in a row. */
  readonly failures: number;
  readonly at: Instant;
  /** True when the last thing known is an answer. */
  readonly ok: boolean;
  /** What the last failure was, for example `unreachable`, `slow` or `unauthorized`. */
  readonly code?: string;
}

/**
 * Where transitions go. Called on changes only, never once per call. Must return at once and keep its own failures
 * to itself: a health row that cannot be written is no reason to withhold an answer.
 */
export interface HealthSink {
  changed(change: HealthChange): void;
}
