import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { AttemptJudgement, AttemptStatus } from './judge-attempt.js';
import type { ClaimedEvent, OutboxState } from './outbox-event.js';

/** What became of an event with one attempt. */
export interface AttemptEnd {
  readonly eventId: string;
  readonly attempt: number;
  readonly judgement: AttemptJudgement;
  readonly completedAt: Instant;
  readonly responseMs: number;
  /** Of the body as it left us, with the token that the frozen bytes lack; absent where nothing left us. */
  readonly payloadBytes?: number;
  /** When it is tried again; absent where it has come to an end. */
  readonly dueAt?: Instant;
  readonly state: OutboxState;
}

/** One record of webhook_activity: one attempt. */
export interface AttemptRecord {
  readonly mediaBuyId?: string;
  readonly idempotencyKey: string;
  readonly notificationType?: string;
  readonly notificationId?: string;
  readonly sequenceNumber?: number;
  readonly attempt: number;
  readonly status: AttemptStatus;
  /** As `shownAddress` has it. */
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
  /** Records of each media buy at most. */
  readonly limit: number;
  /** The news of tasks too, which are no notifications of a type. */
  readonly withTasks: boolean;
}

/** What the sender needs of the database. */
export interface OutboxStore {
  /**
   * Takes due events for one attempt each, at most one of a stream, and keeps others off until `leaseUntil`, by
   * the store's own clock: `now` and `leaseUntil` say for how long. The
   * attempt is on record before anything is sent. What is older than its day expires here, and an attempt that a
   * crash cut off is marked as such. A `final` report waits for the impairments of its media buy.
   */
  claim(
    scope: TenantScope,
    now: Instant,
    leaseUntil: Instant,
    limit: number,
  ): Promise<readonly ClaimedEvent[]>;
  /** Ends an attempt. Nothing changes when the event was taken over by somebody else meanwhile. */
  settle(scope: TenantScope, end: AttemptEnd): Promise<void>;
  /** Gives an event back that was not sent: the attempt did not happen. */
  park(scope: TenantScope, event: Pick<ClaimedEvent, 'id' | 'attempt'>, until: Instant): Promise<void>;
  /** Attempts at telling one principal of its media buys, newest first. */
  activity(scope: TenantScope, query: ActivityRequest): Promise<readonly AttemptRecord[]>;
}
