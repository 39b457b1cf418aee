import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { AttemptJudgement, AttemptStatus } from './judge-attempt.js';
import type { ClaimedEvent, OutboxState } from './outbox-event.js';

/** The result of one attempt. */
export interface AttemptEnd {
  readonly eventId: string;
  readonly attempt: number;
  readonly judgement: AttemptJudgement;
  readonly completedAt: Instant;
  readonly responseMs: number;
  /** Size of the sent body, including the token; absent where nothing was sent. */
  readonly payloadBytes?: number;
  /** When it is retried; absent where it is final. */
  readonly dueAt?: Instant;
  readonly state: OutboxState;
}

/** One record of webhook_activity, for one attempt. */
export interface AttemptRecord {
  readonly mediaBuyId?: string;
  readonly idempotencyKey: string;
  readonly notificationType?: string;
  readonly notificationId?: string;
  readonly sequenceNumber?: number;
  readonly attempt: number;
  readonly status: AttemptStatus;
  /** As `shownAddress` returns it. */
  readonly url: string;
  readonly firedAt: Instant;
  readonly completedAt?: Instant;
  readonly httpStatus?: number;
  readonly responseMs?: number;
  readonly payloadBytes: number;
  readonly message?: string;
}

export interface ActivityRequest {
  readonly principalId: string;
  readonly mediaBuyIds: readonly string[];
  /** Maximum number of records per media buy. */
  readonly limit: number;
  /** Includes task events, which have no notification type. */
  readonly withTasks: boolean;
}

/** Database functions of the sender. */
export interface OutboxStore {
  /**
   * Leases due events for one attempt each, at most one per stream, until `leaseUntil`. The length of the
   * lease, `leaseUntil - now`, is measured by the clock of the store. The attempt is recorded before anything
   * is sent. Events older than a day expire here, and an attempt that a crash interrupted is marked as such.
   * A `final` report waits for the impairments of its media buy.
   */
  claim(
    scope: TenantScope,
    now: Instant,
    leaseUntil: Instant,
    limit: number,
  ): Promise<readonly ClaimedEvent[]>;
  /** Stores the result of an attempt. Changes nothing when another process has leased the event since. */
  settle(scope: TenantScope, end: AttemptEnd): Promise<void>;
  /** Releases an event that was not sent; its attempt is removed. */
  park(scope: TenantScope, event: Pick<ClaimedEvent, 'id' | 'attempt'>, until: Instant): Promise<void>;
  /** Attempts of events about a principal's media buys, newest first. */
  activity(scope: TenantScope, query: ActivityRequest): Promise<readonly AttemptRecord[]>;
}
