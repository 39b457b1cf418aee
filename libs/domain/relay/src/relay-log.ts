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

/** What a request is to hold of a delegation's budget. */
export interface Hold {
  readonly amount: Micros;
  readonly currency: string;
}

/** A request that is about to be passed on. */
export interface Admission {
  /** As far as it is known: without outcome and answer. */
  readonly record: Omit<CustodyRecord, 'outcome'>;
  readonly nonce?: string;
  readonly hold?: Hold;
  /** True where the seller must not hear of it before it is on disk: everything that changes something. */
  readonly durable: boolean;
  /** What it sets out to change, stored in the same commit. */
  readonly draft?: OperationDraft;
  /**
   * Since when its seller answers the same request again with what it made the first time: a retry of one that was
   * stored later than this is the same commitment. Absent where the seller may make it once more.
   */
  readonly repeatsSince?: Instant;
}

/** A request that was admitted, and the operation that it stands for. */
export interface AdmittedRow {
  readonly delegation: Delegation;
  /** The draft's own, or an earlier one that holds the key already: then nothing of the draft was stored. */
  readonly operation?: Operation;
}

/** How a relayed request ended. */
export interface Ended {
  readonly record: CustodyRecord;
  readonly at: Instant;
  /** Gives the held budget back: the seller made nothing. */
  readonly releases: boolean;
  /**
   * Applies what the seller answered to the operation of the request, in the transaction that seals the record. May run
   * several times: what an earlier run has written was rolled back.
   */
  readonly apply?: (operations: OperationStore) => Promise<unknown>;
}

/** An earlier request under the same signature. */
export interface Counterpart {
  readonly recordId: string;
  readonly bodyHash: string;
  /** Absent while it is under way. */
  readonly outcome?: CustodyOutcome;
}

/** Which relayed requests a list shows. With a limited reach: those of its principal, and those of operations in reach. */
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
  /** Whether its record stands in the chain, by whichever way it went. */
  readonly inChain: boolean;
}

/** What `relay` needs of the database about requests: written before they are passed on, sealed once they ended. */
export interface RelayLog {
  /**
   * Judges the delegations held and stores the request in one transaction. With a hold, the delegations are locked
   * while `decide` counts, so that two requests at once cannot both have the last of a budget. A retry is judged
   * without what its earlier copies hold, first by the delegation under which they hold it.
   */
  admit(
    scope: TenantScope,
    admission: Admission,
    decide: (held: readonly DelegationStanding[]) => Result<Delegation, RelayFaultCode>,
  ): Promise<Result<AdmittedRow, RelayFaultCode>>;
  /** The versions of these rows and of all that hangs on them, as one text. */
  pathMark(scope: TenantScope, rows: PathRows): Promise<string>;
  /** What a principal holds for one seller, without what was committed under it. */
  delegationsOf(scope: TenantScope, principalId: string, seller: string): Promise<readonly Delegation[]>;
  /**
   * Admits in one statement what was judged by rows that are still as they were: claims the nonce, audits the use of the
   * credential, holds the sum and stores the request. False where anything is not as it was known; then nothing was
   * written, and the request is to be judged afresh.
   */
  admitKnown(scope: TenantScope, admission: KnownAdmission): Promise<boolean>;
  /** Stores requests that were refused, to be sealed with the next ones that end. */
  refuse(scope: TenantScope, refused: readonly CustodyRecord[]): Promise<void>;
  /**
   * Seals the records of one principal into its chain, and applies what they ended with: one block, one commit. A record
   * that stands there already is left.
   */
  seal(scope: TenantScope, principalId: string, ended: readonly Ended[]): Promise<void>;
  findDuplicate(
    scope: TenantScope,
    principalId: string,
    keyid: string,
    nonce: string,
  ): Promise<Counterpart | undefined>;
  /** Records of requests that arrived before and were never ended: their process died. */
  leftOpen(scope: TenantScope, arrivedBefore: Instant, limit: number): Promise<readonly CustodyRecord[]>;

  /**
   * Whether a list of the seller's may show what is not this principal's: another of the tenant has bought over this
   * connection, or another tenant may share the account.
   */
  isShared(scope: TenantScope, connectionId: string, principalId: string): Promise<boolean>;
  /** Legs of ours that were sent and answered, and whose record is in no chain yet. */
  unrecorded(scope: TenantScope, limit: number): Promise<readonly ResignedLeg[]>;
  /** Notes that the records of these legs are in the chain. */
  recorded(scope: TenantScope, legIds: readonly string[], at: Instant): Promise<void>;

  /** By the time of arrival, newest first unless the filter says otherwise; the key is `[arrivedAt, id]`. */
  list(scope: TenantScope, filter: CustodyFilter): Promise<readonly RelayedRow[]>;
  /** The sealed text, with the block it stands in. */
  show(scope: TenantScope, id: string, of?: Pick<ObjectFilter, 'reach'>): Promise<SealedRecord | undefined>;
  /** Hands the whole chain of one principal to `read`, page by page, as one snapshot of the database shows it. */
  chain<T>(scope: TenantScope, principalId: string, read: (stream: OpenStream) => Promise<T>): Promise<T>;
}

export interface SealedRecord {
  readonly principalId: string;
  readonly record: JsonObject;
  readonly hash: string;
  readonly block: string;
}
