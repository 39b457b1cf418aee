import type { KmsFailureCode } from '@switchyard/vault';

export interface KeyManagementFailure {
  /** A code of the key service, or of a fault of the local keyring's file. */
  readonly code:
    | KmsFailureCode
    | 'keyring_missing'
    | 'keyring_exposed'
    | 'keyring_malformed'
    | 'keyring_unreadable'
    | 'keyring_busy';
  /** For people. Contains names of files and keys, never their contents. */
  readonly message: string;
}
