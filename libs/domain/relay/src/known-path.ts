import type { OperationDraft } from '@switchyard/buys';
import type { Micros } from '@switchyard/money';
import type { Instant } from '@switchyard/values';
import type { CustodyRecord } from './custody-record.js';

/** The rows that decide whether one token may relay to one seller: two equal marks of them are the same rows. */
export interface PathRows {
  readonly tokenId: string;
  readonly principalId: string;
  readonly connectionId: string;
  /** Slug of the seller. */
  readonly seller: string;
}

/**
 * A request that was judged by rows that were read before. It is admitted only if none of them has changed since, so
 * what is taken from memory is never the decision itself.
 */
export interface KnownAdmission {
  readonly rows: PathRows;
  /** What `pathMark` said before the rows were read. */
  readonly mark: string;
  /** Of the key that signed; asked for again, because lists of keys are some seconds old. */
  readonly signerId: string;
  /** With the delegation that was found for it. */
  readonly record: Omit<CustodyRecord, 'outcome'> & { readonly delegationId: string };
  /** `nonce` as the signature has it; `key` is the keyspace in which it counts. */
  readonly claim: { readonly key: string; readonly nonce: string; readonly expiresAt: Instant };
  /** The use of the seller's credential, audited in the same commit. */
  readonly use?: { readonly credentialId: string; readonly version: number; readonly actor: string };
  /** Held under the ceiling of the delegation, in its currency; absent where it has none. */
  readonly hold?: Micros;
  /** True where the seller must not hear of it before it is on disk: everything that changes something. */
  readonly durable: boolean;
  /** What it sets out to change, stored in the same commit. */
  readonly draft?: OperationDraft;
}
