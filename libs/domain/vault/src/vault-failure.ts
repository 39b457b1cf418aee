import type { KmsFailureCode } from './key-management.js';

/** Why a sealed record did not open. The first three say that it is not what was sealed. */
export type OpenFailureCode = 'unknown_scheme' | 'commitment_mismatch' | 'tampered' | 'key_management';

/**
 * - `not_found`: the tenant has no live credential of that id.
 * - `mismatch`: the stored record is not the one that was asked for (tenant, connection, seller or kind differ).
 * - `wrong_destination`: it is sealed for another origin than the one it was to be sent to.
 * - `unbound`: it is sent somewhere, and was sealed before destinations were part of the seal.
 * - `audit_unavailable`: the audit row could not be written, so nothing was opened.
 * - `store_unavailable`: the store did not answer.
 * - `conflict`: somebody else changed the credential at the same time.
 * - `key_management`: the key service refused; `kms` says how.
 */
export interface VaultFailure {
  readonly code:
    | OpenFailureCode
    | 'not_found'
    | 'mismatch'
    | 'wrong_destination'
    | 'unbound'
    | 'audit_unavailable'
    | 'store_unavailable'
    | 'conflict';
  readonly kms?: KmsFailureCode;
  /** For people. Never holds a secret. */
  readonly message: string;
}

export const unbound: VaultFailure = {
  code: 'unbound',
  message: 'The credential was sealed before it was bound to an address. Enter its secret again.',
};
