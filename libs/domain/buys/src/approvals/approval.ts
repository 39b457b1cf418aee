import type { TaskError } from '@switchyard/protocol';
import type { ListSort, ObjectFilter, TenantScope, TimeFilter } from '@switchyard/tenancy';
import type { Instant, JsonObject, PageRead } from '@switchyard/values';
import type { NamingPorts } from '../model/creative-library.js';
import type { BuysPorts } from '../model/ports.js';

/**
 * The state of a seller's question. `open`: not answered. `answering`: the answer is being sent. `answered`:
 * the seller accepted it. `refused`: the seller did not accept it. `moved_on`: the seller continued without
 * it. `unknown`: the answer was sent, and polling the task shows the outcome. `dismissed`: it could not be
 * answered from here, and a person closed it.
 */
export type ApprovalState =
  | 'open'
  | 'answering'
  | 'answered'
  | 'refused'
  | 'moved_on'
  | 'unknown'
  | 'dismissed';

/** A seller's question that blocks a leg until it is answered. It can be answered once. */
export interface Approval {
  readonly id: string;
  readonly operationId: string;
  readonly legId: string;
  readonly connectionId: string;
  readonly seller: string;
  readonly task: string;
  /** Number of this question within its leg, from 1. */
  readonly round: number;
  readonly reason: string;
  /** The seller's payload as received. */
  readonly question: JsonObject;
  readonly errors: readonly TaskError[];
  readonly sellerTaskId?: string;
  readonly a2aTaskId?: string;
  readonly contextId?: string;
  readonly state: ApprovalState;
  readonly requestedAt: Instant;
  readonly answer?: JsonObject;
  readonly answeredBy?: string;
  readonly answeredAt?: Instant;
  readonly outbound?: string;
  readonly attempts: number;
  readonly closedAt?: Instant;
  /** The outcome: the state of the seller's task, the seller's code, or the reason why a person closed it. */
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

interface AnswerClaim {
  readonly answer: JsonObject;
  readonly by: string;
  readonly outbound: string;
  readonly at: Instant;
}

/** Tasks, and the objects for which their rows are shown. */
export interface ShownTasks {
  readonly tasks: readonly string[];
  readonly filter: ObjectFilter;
}

/** Selects rows of the inbox. `shown` absent: all rows of the tenant. */
export interface InboxFilter extends PageRead, TimeFilter {
  readonly seller?: string;
  readonly sort?: ListSort;
  readonly shown?: readonly ShownTasks[];
}

/** Database functions for approvals. Every function sees the rows of one tenant only. */
export interface ApprovalStore {
  /**
   * Questions by time, newest first unless `sort` is set. The page key is `[requestedAt, id]`.
   */
  list(
    scope: TenantScope,
    filter: InboxFilter & { readonly state?: ApprovalState },
  ): Promise<readonly Approval[]>;
  /** Oldest first unless set; the page key is `[since, legId, creativeId]`, with an empty text where there is no creative. */
  reviews(scope: TenantScope, filter: InboxFilter): Promise<readonly ReviewRow[]>;
  find(scope: TenantScope, id: string, of?: Pick<ObjectFilter, 'reach'>): Promise<Approval | undefined>;
  /** Claims an open question for one answer. False when another answer, or the seller, was first. */
  claim(scope: TenantScope, id: string, claim: AnswerClaim): Promise<boolean>;
  /** Closes an open question without an answer. False when an answer, or the seller, was first. */
  dismiss(
    scope: TenantScope,
    id: string,
    of: { readonly by: string; readonly reason: string; readonly at: Instant },
  ): Promise<boolean>;
  /** Leases an answer for one send until `leaseUntil`, by the clock of the store, and counts the attempt. */
  take(scope: TenantScope, id: string, now: Instant, leaseUntil: Instant): Promise<Approval | undefined>;
  /** Ids of claimed answers that no process is sending. */
  due(scope: TenantScope, now: Instant, limit: number): Promise<readonly string[]>;
  postpone(scope: TenantScope, id: string, nextAt: Instant): Promise<void>;
  /** Closes an answer. With `again`, opens the same question once more, with the seller's message about the answer. */
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

export interface ApprovalPorts extends BuysPorts, NamingPorts {
  readonly approvals: ApprovalStore;
}
