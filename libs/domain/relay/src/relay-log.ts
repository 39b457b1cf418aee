import type { Operation, OperationDraft, OperationStore } from '@switchyard/buys';
import type { OpenStream } from '@switchyard/journal';
import type { Micros } from '@switchyard/money';
import type { ListSort, ObjectFilter, TenantScope, TimeFilter } from '@switchyard/tenancy';
import type { Instant, JsonObject, PageRead, Result } from '@switchyard/values';
import type { CustodyOutcome, CustodyRecord } from './custody-record.js';
import type { Delegation, DelegationStanding } from './delegation.js';
import type { KnownAdmission, PathRows } from './known-path.js';
import type { ResignedLeg } from './resigned-record.js';
import type { RelayFaultCode } from './relay-fault.js';

/** The amount that a request holds of a delegation's budget. */
export interface Hold {
  readonly amount: Micros;
  readonly currency: string;
}

/** A request that is about to be sent to the seller. */
export interface Admission {
  /** The record without outcome and answer, which are not known yet. */
  readonly record: Omit<CustodyRecord, 'outcome'>;
  readonly nonce?: string;
  readonly hold?: Hold;
  /** True if the request must be on disk before the seller receives it: for every change. */
  readonly durable: boolean;
  /** The operation that the request starts, stored in the same transaction. */
  readonly draft?: OperationDraft;
  /**
   * Start of the time in which the seller answers a repeated request with its first result: a retry of a request stored
   * after this instant is the same commitment. Absent if the seller may execute a repeated request again.
   */
  readonly repeatsSince?: Instant;
}

/** An admitted request and its operation. */
interface AdmittedRow {
  readonly delegation: Delegation;
  /** The draft's operation, or an earlier one with the same key; in that case nothing of the draft was stored. */
  readonly operation?: Operation;
}

/** How a relayed request ended. */
export interface Ended {
  readonly record: CustodyRecord;
  readonly at: Instant;
  /** True if the held budget is released, because the seller created nothing. */
  readonly releases: boolean;
  /**
   * Applies the seller's answer to the operation, in the transaction that seals the record. May run several times: the
   * writes of an earlier run were rolled back.
   */
  readonly apply?: (operations: OperationStore) => Promise<unknown>;
}

/** An earlier request with the same signature. */
interface Counterpart {
  readonly recordId: string;
  readonly bodyHash: string;
  /** Absent while the request is in progress. */
  readonly outcome?: CustodyOutcome;
}

/** Selects relayed requests. A limited reach selects its principal's and those of operations in reach. */
export interface CustodyFilter extends ObjectFilter, TimeFilter, PageRead {
  readonly principalId?: string;
  readonly seller?: string;
  readonly outcome?: CustodyOutcome;
  readonly sort?: ListSort;
}

/** One line of the list of relayed requests. */
export interface RelayedRow {
  readonly id: string;
  readonly principalId: string;
  readonly seller: string;
  readonly way: CustodyRecord['way'];
  readonly task?: string;
  readonly delegationId?: string;
  readonly operationId?: string;
  readonly outcome?: CustodyOutcome;
  readonly code?: string;
  readonly bodyHash: string;
  readonly arrivedAt: Instant;
  readonly endedAt?: Instant;
  /** Whether the record is in the chain, sealed or resigned. */
  readonly inChain: boolean;
}

/** Port for relayed requests: each is stored before it is sent, and sealed when it has ended. */
export interface RelayLog {
  /**
   * Judges the delegations and stores the request in one transaction. With a hold, the delegations are locked while
   * `decide` runs, so that two concurrent requests cannot both use the last of a budget. For a retry, the amount held
   * by its earlier copies is not counted, and the delegation under which they hold it is judged first.
   */
  admit(
    scope: TenantScope,
    admission: Admission,
    decide: (standings: readonly DelegationStanding[]) => Result<Delegation, RelayFaultCode>,
  ): Promise<Result<AdmittedRow, RelayFaultCode>>;
  /** Returns the versions of these rows and of all rows that depend on them, as one text. */
  pathMark(scope: TenantScope, rows: PathRows): Promise<string>;
  /** Returns the principal's delegations for one seller, without the committed amounts. */
  delegationsOf(scope: TenantScope, principalId: string, seller: string): Promise<readonly Delegation[]>;
  /**
   * Admits in one statement a request that was judged with cached rows: claims the nonce, audits the use of the
   * credential, holds the amount and stores the request. Returns false if a row has changed; then nothing was written,
   * and the request must be judged again.
   */
  admitKnown(scope: TenantScope, admission: KnownAdmission): Promise<boolean>;
  /** Stores refused requests. They are sealed together with the next requests that end. */
  refuse(scope: TenantScope, refused: readonly CustodyRecord[]): Promise<void>;
  /**
   * Seals the records of one principal into its chain and applies their results, in one block and one transaction.
   * Records that are already in the chain are skipped.
   */
  seal(scope: TenantScope, principalId: string, ended: readonly Ended[]): Promise<void>;
  /** The first request of a principal with this signature that arrived at `since` or later. */
  findDuplicate(
    scope: TenantScope,
    principalId: string,
    signed: { readonly keyid: string; readonly nonce: string; readonly since: Instant },
  ): Promise<Counterpart | undefined>;
  /** Records of requests that arrived before this time and have not ended, because their process died. */
  leftOpen(scope: TenantScope, arrivedBefore: Instant, limit: number): Promise<readonly CustodyRecord[]>;

  /**
   * Whether a seller's list may show objects of others: another principal of the tenant has bought over this
   * connection, or another tenant may share the account.
   */
  isShared(scope: TenantScope, connectionId: string, principalId: string): Promise<boolean>;
  /** Our legs that were sent and answered, and whose record is not in the chain yet. */
  unrecorded(scope: TenantScope, limit: number): Promise<readonly ResignedLeg[]>;
  /** Marks the records of these legs as in the chain. */
  recorded(scope: TenantScope, legIds: readonly string[], at: Instant): Promise<void>;

  /** By time of arrival, newest first unless the filter sets another order; the key is `[arrivedAt, id]`. */
  list(scope: TenantScope, filter: CustodyFilter): Promise<readonly RelayedRow[]>;
  /** Returns the sealed text and its block. */
  show(scope: TenantScope, id: string, of?: Pick<ObjectFilter, 'reach'>): Promise<SealedRecord | undefined>;
  /** Passes the whole chain of one principal to `read`, page by page, from one snapshot of the database. */
  chain<T>(scope: TenantScope, principalId: string, read: (stream: OpenStream) => Promise<T>): Promise<T>;
}

interface SealedRecord {
  readonly principalId: string;
  readonly record: JsonObject;
  readonly hash: string;
  readonly block: string;
}
