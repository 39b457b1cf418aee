import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';

/** An answer that goes out in pages, or that is read back by its id. */
export interface StoredAnswer {
  readonly id: string;
  /** Who asked, and who alone may turn its pages; absent for the public tier. */
  readonly principalId?: string;
  readonly task: string;
  /** Of everything that was asked but the page: another question is not answered with it. */
  readonly questionHash: string;
  /** JSON text, in the form that it was asked in. */
  readonly answer: string;
  /** The secret that cursors into it are sealed with. */
  readonly seal: Uint8Array;
  readonly expiresAt: Instant;
}

/** Where answers stand until they expire. */
export interface AnswerCache {
  /** Keeps one, and forgets those of the tenant that have expired by `now`. */
  keep(scope: TenantScope, answer: StoredAnswer, now: Instant): Promise<void>;
  /** One that has not expired; nothing for somebody else's, as for one that never was. */
  find(scope: TenantScope, id: string, now: Instant): Promise<StoredAnswer | undefined>;
}
