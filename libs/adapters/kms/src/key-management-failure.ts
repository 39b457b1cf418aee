import type { KmsFailureCode } from '@switchyard/vault';

export interface KeyManagementFailure {
  /** A code of the key service, or what is wrong with the local keyring's file. */
  readonly code:
    | KmsFailureCode
    | 'keyring_missing'
    | 'keyring_exposed'
    | 'keyring_malformed'
    | 'keyring_unreadable'
    | 'keyring_busy';
  /** For people. Names files and keys, never their contents. */
  readonly message: string;
}
