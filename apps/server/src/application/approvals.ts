import type { Result } from '@switchyard/values';
import type { JsonObject } from '@switchyard/values';
import type { AdminFailure } from './admin.js';
import type { PrincipalCaller } from './task-call.js';

export const approvalStates = [
  'open',
  'answering',
  'answered',
  'refused',
  'moved_on',
  'unknown',
  'dismissed',
] as const;

/**
 * One row of the inbox. `question`: a seller waits for an answer. The other kinds are shown so that nothing is waited
 * for unseen: a person at the seller is at it, or nobody knows what became of a request.
 */
export interface ApprovalView {
  readonly approval_id?: string;
  readonly kind: 'question' | 'in_review' | 'creative_review' | 'needs_look';
  readonly state: string;
  readonly seller: string;
  readonly task: string;
  readonly operation_id: string;
  readonly creative_id?: string;
  /** The seller's own words, or ours where it has none. */
  readonly reason: string;
  /** RFC 3339. */
  readonly since: string;
  readonly round?: number;
  readonly errors?: readonly JsonObject[];
  /** The seller's payload as it came. */
  readonly question?: JsonObject;
  readonly can_answer: boolean;
  readonly answer?: JsonObject;
  readonly answered_by?: string;
  readonly answered_at?: string;
  /** RFC 3339. Of a question that needs nobody any more. */
  readonly closed_at?: string;
  readonly outcome?: string;
}

export interface ApprovalFilter {
  readonly state?: (typeof approvalStates)[number];
  readonly seller?: string;
  readonly limit?: number;
}

/** What waits for a person: every seller's questions and reviews in one inbox. */
export interface ApprovalsAdmin {
  list(caller: PrincipalCaller, filter: ApprovalFilter): Promise<readonly ApprovalView[]>;
  answer(
    caller: PrincipalCaller,
    id: string,
    answer: JsonObject,
  ): Promise<Result<ApprovalView, AdminFailure>>;
  /** Puts a question away that cannot be answered from here. */
  dismiss(caller: PrincipalCaller, id: string, reason: string): Promise<Result<ApprovalView, AdminFailure>>;
}
