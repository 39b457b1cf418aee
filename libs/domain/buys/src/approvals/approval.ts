import type { TaskError } from '@switchyard/protocol';
import type { ListSort, ObjectFilter, TenantScope, TimeFilter } from '@switchyard/tenancy';
import type { Instant, JsonObject, PageRead } from '@switchyard/values';

/**
 * Where a question of a seller stands. `open`: nobody has answered. `answering`: the answer is on its way. `answered`:
 * the seller took it. `refused`: the seller did not take it. `moved_on`: the seller went on without it. `unknown`: the
 * answer was sent, and what became of it is found out by looking at the task. `dismissed`: it could not be answered
 * from here, and a person put it away.
 */
export type ApprovalState =
  'open' | 'answering' | 'answered' | 'refused' | 'moved_on' | 'unknown' | 'dismissed';

/** A question that holds a leg up until somebody answers it. Answered once. */
export interface Approval {
  readonly id: string;
  readonly operationId: string;
  readonly legId: string;
  readonly connectionId: string;
  readonly seller: string;
  readonly task: string;
  /** Counts the questions of one leg, from 1. */
  readonly round: number;
  readonly reason: string;
  /** The seller's payload as it came. */
  readonly question: JsonObject;
  readonly errors: readonly TaskError[];
  readonly sellerTaskId?: string;
  readonly a2aTaskId?: string;
  readonly contextId?: string;
  readonly state: ApprovalState;
  readonly askedAt: Instant;
  readonly answer?: JsonObject;
  readonly answeredBy?: string;
  readonly answeredAt?: Instant;
  readonly outbound?: string;
  readonly attempts: number;
  readonly closedAt?: Instant;
  /** What it came to: the state of the seller's task, the seller's code, or why a person put it away. */
  readonly outcome?: string;
}

/** A task that waits for a person at the seller: shown in the inbox, and cannot be answered from here. */
export interface ReviewRow {
  readonly kind: 'in_review' | 'creative_review' | 'needs_look';
  readonly seller: string;
  readonly task: string;
  readonly operationId: string;
  readonly legId: string;
  readonly reason: string;
  readonly since: Instant;
  readonly creativeId?: string;
}

export interface AnswerClaim {
  readonly answer: JsonObject;
  readonly by: string;
  readonly outbound: string;
  readonly at: Instant;
}

/** Rows of these tasks, each with the objects that they are shown of. */
export interface ShownTasks {
  readonly tasks: readonly string[];
  readonly filter: ObjectFilter;
}

/** Which rows of the inbox are wanted; `shown` absent: all of the tenant. */
export interface InboxFilter extends PageRead, TimeFilter {
  readonly seller?: string;
  readonly shown?: readonly ShownTasks[];
}

/** What approvals need of the database. Every function sees one tenant's rows only. */
export interface ApprovalStore {
  /**
   * Questions by the time that they were asked, newest first unless `sort` says otherwise; the key is `[askedAt,
   * id]`.
   */
  list(
    scope: TenantScope,
    filter: InboxFilter & { readonly state?: ApprovalState; readonly sort?: ListSort },
  ): Promise<readonly Approval[]>;
  /** Oldest first; the key is `[since, legId, creativeId]`, with an empty text where there is no creative. */
  reviews(scope: TenantScope, filter: InboxFilter): Promise<readonly ReviewRow[]>;
  find(scope: TenantScope, id: string, of?: Pick<ObjectFilter, 'reach'>): Promise<Approval | undefined>;
  /** Takes an open question for one answer. False when another answer, or the seller, was first. */
  claim(scope: TenantScope, id: string, claim: AnswerClaim): Promise<boolean>;
  /** Puts an open question away. False when an answer, or the seller, was first. */
  dismiss(
    scope: TenantScope,
    id: string,
    of: { readonly by: string; readonly reason: string; readonly at: Instant },
  ): Promise<boolean>;
  /** Takes one answer for one send: counts the attempt, and keeps others off until `leaseUntil`, by the store's own clock. */
  take(scope: TenantScope, id: string, now: Instant, leaseUntil: Instant): Promise<Approval | undefined>;
  /** Ids of claimed answers that no process is sending. */
  due(scope: TenantScope, now: Instant, limit: number): Promise<readonly string[]>;
  putOff(scope: TenantScope, id: string, nextAt: Instant): Promise<void>;
  /** Closes an answer. `again`: opens the same question once more, with the seller's message about the answer. */
  settle(
    scope: TenantScope,
    id: string,
    end: {
      readonly state: Extract<ApprovalState, 'answered' | 'refused' | 'unknown'>;
      readonly outcome: string;
      readonly at: Instant;
      readonly again?: { readonly reason: string; readonly errors: readonly TaskError[] };
    },
  ): Promise<void>;
}
