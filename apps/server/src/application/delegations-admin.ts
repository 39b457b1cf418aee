import type { JsonObject, Result } from '@switchyard/values';
import type { AdminFailure } from './admin.js';
import type { PrincipalCaller } from './task-call.js';

/** A delegation as somebody asks for it, nothing judged yet. */
export interface DelegationAsk {
  readonly principalId: string;
  readonly seller: string;
  readonly tasks: readonly string[];
  /** RFC 3339: a date, or a time with its offset. */
  readonly until: string;
  /** Decimal text, with its currency. */
  readonly budget?: string;
  readonly currency?: string;
  /** What shows an admin that the brand wants it. */
  readonly evidence?: string;
}

export type Answered<T = JsonObject> = Promise<Result<T, AdminFailure>>;

/** What may be relayed, granted and taken back. A principal sees and changes its own; an admin everybody's. */
export interface DelegationsAdmin {
  grant(caller: PrincipalCaller, ask: DelegationAsk): Answered;
  list(caller: PrincipalCaller, principalId?: string): Answered<readonly JsonObject[]>;
  revoke(caller: PrincipalCaller, id: string, reason?: string): Answered;
  /** Where to send, what to sign, and where the seller may call back. */
  address(caller: PrincipalCaller, seller: string, principalId?: string): Answered;
}

export interface CustodyAsk {
  readonly principalId?: string;
  readonly seller?: string;
  readonly outcome?: 'refused' | 'unreachable' | 'unknown' | 'answered';
  readonly limit?: number;
}

/** The chains of custody. A principal reads its own; an admin everybody's. */
export interface CustodyAdmin {
  list(caller: PrincipalCaller, ask: CustodyAsk): Answered<readonly JsonObject[]>;
  show(caller: PrincipalCaller, id: string): Answered;
  export(caller: PrincipalCaller, principalId?: string): Answered;
  verify(caller: PrincipalCaller, principalId?: string): Answered;
}
