import { err, ok, type Result } from '@switchyard/values';
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

/**
 * Turns a rejection of the store into a failure value. The cause is left out: a driver's message may quote parameters,
 * and the store reports its own errors.
 */
export async function queryStore<T>(
  question: () => Promise<T>,
  code: 'store_unavailable' | 'audit_unavailable' = 'store_unavailable',
): Promise<Result<T, VaultFailure>> {
  try {
    return ok(await question());
  } catch {
    return err({ code, message: messages[code] });
  }
}

const messages = {
  store_unavailable: 'The credential store did not answer.',
  audit_unavailable: 'The use could not be recorded, so nothing was opened.',
} as const;
