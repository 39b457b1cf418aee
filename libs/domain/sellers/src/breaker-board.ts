import type { SellerRow } from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';
import {
  admit,
  closedBreaker,
  record,
  type BreakerPhase,
  type BreakerPolicy,
  type BreakerState,
  type Verdict,
} from './breaker.js';
import type { HealthSink } from './health-sink.js';

/** The key of a breaker: there is one per organization and connection. */
export interface BreakerKey {
  readonly organizationId: string;
  readonly connectionId: string;
}

export interface CredentialVersion {
  readonly id: string;
  readonly version: number;
}

/** Permission for one call. Pass it to `settle` with the outcome. */
export interface Ticket extends BreakerKey {
  readonly probe: boolean;
}

type TicketOrRefusal =
  | { readonly admitted: true; readonly ticket: Ticket }
  | { readonly admitted: false; readonly retryAt: Instant };

/** How many answers of a seller show what is usual for it. */
const lastTimes = 8;
const lateFromMs = 2_000;

/**
 * The breakers and the refused credentials of this process. Time is passed in.
 *
 * A refused credential is paused alone: the seller's breaker does not change, and a new version is tried at once.
 */
export class BreakerBoard {
  readonly #policy: BreakerPolicy;
  readonly #sink: HealthSink | undefined;
  readonly #states = new Map<string, BreakerState>();
  readonly #paused = new Map<string, { readonly version: CredentialVersion; readonly until: Instant }>();

  /** Milliseconds of the last answers, by connection; infinite for one that did not come. */
  readonly #times = new Map<string, readonly number[]>();

  /** Called when a breaker of this process changes its phase by its own calls. */
  onPhase?: (key: BreakerKey, phase: BreakerPhase) => void;

  constructor(policy: BreakerPolicy, sink?: HealthSink) {
    this.#policy = policy;
    this.#sink = sink;
  }

  admit(key: BreakerKey, at: Instant): TicketOrRefusal {
    const before = this.#state(key);
    const admission = admit(before, at);
    if (!admission.admitted) return { admitted: false, retryAt: admission.retryAt };
    this.#put(key, { before, after: admission.state, at });
    return { admitted: true, ticket: { ...key, probe: admission.probe } };
  }

  settle(ticket: Ticket, verdict: Verdict, at: Instant, code?: string): void {
    const before = this.#state(ticket);
    this.#put(ticket, {
      before,
      after: record(before, { verdict, probe: ticket.probe, at }, this.#policy),
      at,
      code,
    });
  }

  /** Notes how long a seller took. Rows of sellers that were not waited for say nothing about it. */
  noteAnswer(connectionId: string, { status, code, elapsed_ms: took }: SellerRow): void {
    if (status === 'skipped' || code === 'LATER' || code === 'CALLER_GONE') return;
    const before = this.#times.get(connectionId) ?? [];
    this.#times.set(connectionId, [...before, status === 'slow' ? Infinity : took].slice(-lastTimes));
  }

  /** Whether more than half of a seller's last answers to this process took longer than two seconds. Unknown: no. */
  isUsuallyLate(connectionId: string): boolean {
    const times = this.#times.get(connectionId) ?? [];
    return times.length > 0 && times.filter((took) => took > lateFromMs).length * 2 > times.length;
  }

  /** Returns the verdict on a seller whose leg was aborted after `waitedMs` milliseconds. */
  verdictOnSlow(waitedMs: number): Verdict {
    return waitedMs >= this.#policy.slowCountsFromMs ? 'failed' : 'abandoned';
  }

  pauseCredential(key: BreakerKey, version: CredentialVersion, at: Instant): void {
    this.#paused.set(pauseOf(key, version), { version, until: at + this.#policy.credentialPauseMs });
    const { phase, failures } = this.#state(key);
    this.#sink?.changed({ ...idsOf(key), breaker: phase, failures, at, ok: false, code: 'unauthorized' });
  }

  isPaused(key: BreakerKey, version: CredentialVersion, at: Instant): boolean {
    const paused = this.#paused.get(pauseOf(key, version));
    if (paused === undefined) return false;
    if (paused.version.version === version.version && at < paused.until) return true;
    this.#paused.delete(pauseOf(key, version));
    return false;
  }

  /** What another process has found out about a seller: its breaker opens or closes here as well. */
  hear(key: BreakerKey, phase: 'open' | 'closed', at: Instant): void {
    const { failures, openForMs } = this.#state(key);
    if (phase === 'closed') this.#states.delete(nameOf(key));
    else this.#states.set(nameOf(key), { phase, failures, since: at, openForMs });
  }

  /** How many breakers of this process are in a phase. */
  count(phase: Exclude<BreakerPhase, 'closed'>): number {
    return [...this.#states.values()].filter((state) => state.phase === phase).length;
  }

  phaseOf(key: BreakerKey): BreakerPhase {
    return this.#state(key).phase;
  }

  #state(key: BreakerKey): BreakerState {
    return this.#states.get(nameOf(key)) ?? closedBreaker(this.#policy);
  }

  #put(
    key: BreakerKey,
    {
      before,
      after,
      at,
      code,
    }: {
      readonly before: BreakerState;
      readonly after: BreakerState;
      readonly at: Instant;
      readonly code?: string | undefined;
    },
  ): void {
    if (after === before) return;
    // A missing state means closed and without failures, so only other states are stored.
    if (after.phase === 'closed' && after.failures === 0) this.#states.delete(nameOf(key));
    else this.#states.set(nameOf(key), after);
    if (after.phase === before.phase) return;
    this.onPhase?.(idsOf(key), after.phase);
    this.#sink?.changed({
      ...idsOf(key),
      breaker: after.phase,
      failures: after.failures,
      at,
      ok: after.phase === 'closed',
      ...(code === undefined ? {} : { code }),
    });
  }
}

/** Clients have logins of their own at one seller, and each of them is refused for itself. */
const pauseOf = (key: BreakerKey, { id }: CredentialVersion): string => `${nameOf(key)} ${id}`;

function nameOf(key: BreakerKey): string {
  return `${key.organizationId}/${key.connectionId}`;
}

function idsOf(key: BreakerKey): BreakerKey {
  return { organizationId: key.organizationId, connectionId: key.connectionId };
}
