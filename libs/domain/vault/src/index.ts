export { createVault } from './create-vault.js';
export type { Vault, VaultDeps } from './vault.js';
export type {
  NewCredential,
  CredentialVersion,
  LeaseRequest,
  LeaseReason,
  LeaseSource,
  Lease,
} from './vault.js';
export type { RewrapReport } from './rewrap-credentials.js';
export type { OpenFailureCode, VaultFailure } from './vault-failure.js';
export type { CredentialMetadata, CredentialStore, CredentialUse } from './credential-store.js';
export type { DataKey, KeyManagement, KmsFailure, KmsFailureCode, WrappedKey } from './key-management.js';
export { contextBytes, encryptionContextOf, type EncryptionContext } from './encryption-context.js';
export { destinationOf, sealingScheme, sentKinds, unboundScheme } from './sealed-credential.js';
export type { CredentialIdentity, CredentialKind, SealedCredential } from './sealed-credential.js';
export { makeKeyCheck, verifyKeyCheck, type KeyCheck } from './check-keys.js';
