import type { Instant } from '@switchyard/values';
import type { BreakerPhase } from './breaker.js';

/** A changed breaker phase or a refused credential, for the connection's health row. */
export interface HealthChange {
  readonly organizationId: string;
  readonly connectionId: string;
  readonly breaker: BreakerPhase;
  /** Consecutive failures. */
  readonly failures: number;
  readonly at: Instant;
  /** True if the latest result is an answer. */
  readonly ok: boolean;
  /** Code of the last failure, for example `unreachable`, `slow` or `unauthorized`. */
  readonly code?: string;
}

/**
 * Receives changes of health, never one call for each request. Must return at once and handle its own failures: an
 * answer is not withheld because a health row cannot be written.
 */
export interface HealthSink {
  changed(change: HealthChange): void;
}
