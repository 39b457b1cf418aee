import type { KmsFailureCode } from './key-management.js';

/** Why a sealed record did not open. The first three mean that the record was changed or is in an unknown format. */
type OpenFailureCode = 'unknown_scheme' | 'commitment_mismatch' | 'tampered' | 'key_management';

/**
 * - `not_found`: the tenant has no live credential of that id.
 * - `mismatch`: the stored record differs from the request (tenant, connection, seller or kind).
 * - `wrong_destination`: it is sealed for another origin than the requested one.
 * - `unbound`: its kind is sent, and it was sealed before seals included a destination.
 * - `audit_unavailable`: the audit row could not be written, so nothing was opened.
 * - `store_unavailable`: the store did not answer.
 * - `conflict`: the credential was changed at the same time.
 * - `key_management`: the key service refused; `kms` has the reason.
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
  /** Text for people. Never contains a secret. */
  readonly message: string;
}

export const unbound: VaultFailure = {
  code: 'unbound',
  message: 'The credential was sealed before it was bound to an address. Enter its secret again.',
};
