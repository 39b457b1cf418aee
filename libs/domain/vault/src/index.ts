export { createVault } from './create-vault.js';
export type { CredentialVersion, PreparedVersion, Vault } from './vault.js';
export type { LeaseRequest, LeaseReason, Lease } from './vault.js';
export type { VaultFailure } from './vault-failure.js';
export type {
  CountedCalls,
  CredentialMetadata,
  CredentialStore,
  CredentialUse,
  Settled,
  UsableCredential,
  VersionState,
} from './credential-store.js';
export type {
  DataKey,
  KeyManagement,
  KmsFailure,
  KmsFailureCode,
  MasterKeys,
  WrappedKey,
} from './key-management.js';
export { contextBytes, type EncryptionContext } from './encryption-context.js';
export { destinationOf, sealingScheme, sentKinds, unboundScheme } from './sealed-credential.js';
export type { CredentialIdentity, CredentialKind, SealedCredential } from './sealed-credential.js';
export { makeKeyCheck, proveKeys, verifyKeyCheck, type KeyCheck } from './check-keys.js';
