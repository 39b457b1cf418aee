import type { CredentialVersion } from './vault.js';
import type { VaultFailure } from './vault-failure.js';

/** What a sweep found and did. The sweep is complete when `changedMeanwhile` is 0 and `failed` is empty. */
export interface RewrapReport {
  readonly examined: number;
  readonly alreadyCurrent: number;
  readonly rewrapped: number;
  /** Lost the compare-and-set against another sweep: the next run sees them as they are then. */
  readonly changedMeanwhile: number;
  readonly failed: readonly (CredentialVersion & { readonly failure: VaultFailure })[];
}
