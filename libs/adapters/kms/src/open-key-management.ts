import type { KeyManagement, KmsFailureCode } from '@switchyard/vault';
import type { Result } from '@switchyard/values';

export interface KeyManagementFailure {
  /** A code of the key service, or what is wrong with the local keyring's file. */
  readonly code: KmsFailureCode | 'keyring_exposed' | 'keyring_malformed' | 'keyring_unreadable';
  readonly message: string;
}

/** The part of the environment that is read here. The AWS SDK reads its own standard variables itself. */
export interface KeyManagementEnvironment {
  readonly SWITCHYARD_KMS_KEY_ID?: string | undefined;
}

export interface OpenedKeyManagement {
  readonly kind: 'aws' | 'local';
  readonly keys: KeyManagement;
  close(): void;
}

/**
 * Opens AWS KMS when a key is named, else the local keyring in `dataDir`, made on first start. A configured key
 * service that does not answer is a failure: falling back would seal secrets under a key that nobody chose.
 */
export function openKeyManagement(
  env: KeyManagementEnvironment,
  dataDir: string,
): Promise<Result<OpenedKeyManagement, KeyManagementFailure>> {
  return Promise.reject(new Error(`not written yet: ${dataDir} ${typeof env}`));
}
