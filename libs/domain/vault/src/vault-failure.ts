import type { KmsFailureCode } from './key-management.js';

/** Why a sealed record did not open. The first three say that it is not what was sealed. */
export type OpenFailureCode = 'unknown_scheme' | 'commitment_mismatch' | 'tampered' | 'key_management';

/**
 * - `not_found`: the tenant has no live credential of that id.
 * - `mismatch`: the stored record is not the one that was asked for (tenant, connection, seller or kind differ).
 * - `audit_unavailable`: the audit row could not be written, so nothing was opened.
 * - `store_unavailable`: the store did not answer.
 * - `conflict`: somebody else changed the credential at the same time.
 * - `key_management`: the key service refused; `kms` says how.
 */
export interface VaultFailure {
  readonly code:
    OpenFailureCode | 'not_found' | 'mismatch' | 'audit_unavailable' | 'store_unavailable' | 'conflict';
  readonly kms?: KmsFailureCode;
  /** For people. Never holds a secret. */
  readonly message: string;
}
