import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';

/** An answer that is returned in pages, or read again by its id. */
export interface StoredAnswer {
  readonly id: string;
  /** The caller, and the only principal that may read its pages; absent for the public tier. */
  readonly principalId?: string;
  readonly task: string;
  /** Hash of the request without its page; a request with another hash does not get this answer. */
  readonly questionHash: string;
  /** JSON text, in the form of the request. */
  readonly answer: string;
  /** The secret that seals cursors into the answer. */
  readonly seal: Uint8Array;
  readonly expiresAt: Instant;
}

/** Stores answers until they expire. */
export interface AnswerCache {
  /** Stores an answer, and deletes the tenant's answers that expired before `now`. */
  keep(scope: TenantScope, answer: StoredAnswer, now: Instant): Promise<void>;
  /** An answer that has not expired; `undefined` for another tenant's, as for an unknown id. */
  find(scope: TenantScope, id: string, now: Instant): Promise<StoredAnswer | undefined>;
}
