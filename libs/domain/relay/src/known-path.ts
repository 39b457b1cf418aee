import type { OperationDraft } from '@switchyard/buys';
import type { Micros } from '@switchyard/money';
import type { Instant } from '@switchyard/values';
import type { CustodyRecord } from './custody-record.js';

/** The rows that decide whether a token may relay to a seller. They are unchanged while `pathMark` is. */
export interface PathRows {
  readonly tokenId: string;
  readonly principalId: string;
  readonly connectionId: string;
  /** Slug of the seller. */
  readonly seller: string;
}

/**
 * A request that was judged with cached rows. It is admitted only if no row has changed since, so a cached decision is
 * never used unchecked.
 */
export interface KnownAdmission {
  readonly rows: PathRows;
  /** The result of `pathMark` before the rows were read. */
  readonly mark: string;
  /** Signer of the request. It is checked again, because lists of keys may be some seconds old. */
  readonly signerId: string;
  /** Includes the delegation that permits the request. */
  readonly record: Omit<CustodyRecord, 'outcome'> & { readonly delegationId: string };
  /** `nonce` is taken from the signature; `key` is the keyspace in which it must be unique. */
  readonly claim: { readonly key: string; readonly nonce: string; readonly expiresAt: Instant };
  /** The use of the seller's credential, audited in the same transaction. */
  readonly use?: { readonly credentialId: string; readonly version: number; readonly actor: string };
  /** Amount to hold under the delegation's budget, in its currency; absent if it has no budget. */
  readonly hold?: Micros;
  /** True if the request must be on disk before the seller receives it: for every change. */
  readonly durable: boolean;
  /** The operation that the request starts, stored in the same transaction. */
  readonly draft?: OperationDraft;
}
