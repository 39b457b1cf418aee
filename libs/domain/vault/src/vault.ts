import type { Buffer } from 'node:buffer';
import type { TenantScope } from '@switchyard/tenancy';
import type { Clock, Result, Secret } from '@switchyard/values';
import type { CredentialMetadata, CredentialStore } from './credential-store.js';
import type { KeyManagement } from './key-management.js';
import type { RewrapReport } from './rewrap-credentials.js';
import type { CredentialKind, SealedCredential } from './sealed-credential.js';
import type { VaultFailure } from './vault-failure.js';

export interface VaultDeps {
  readonly kms: KeyManagement;
  readonly store: CredentialStore;
  readonly clock: Clock;
  /** A fresh UUID. */
  readonly newId: () => string;
  /** Cryptographically strong random bytes. */
  readonly randomBytes: (size: number) => Buffer;
  /** How many opened secrets this process keeps, at most 60 seconds each. 2,000 when absent; 0 keeps none. */
  readonly cacheEntries?: number;
}

export interface NewCredential {
  readonly kind: CredentialKind;
  readonly secret: Secret;
  /** UUID. */
  readonly connectionId?: string;
  /** Slug. */
  readonly seller?: string;
  /** Origin that the secret may be sent to: needed for each kind that is sent, and for no other. */
  readonly destination?: string;
}

export interface RotationOptions {
  /** Taken only where the version before has none. */
  readonly destinationIfUnbound?: string;
  /** How long the versions before stand beside the new one, in milliseconds; 0 unless set. */
  readonly overlapMs?: number;
}

export interface CredentialVersion {
  readonly credentialId: string;
  readonly version: number;
}

/** What the caller believes about the credential; a record that says otherwise is refused, not opened. */
export interface LeaseRequest {
  readonly credentialId: string;
  readonly kind: CredentialKind;
  readonly connectionId?: string;
  readonly seller?: string;
  /** Origin that the secret is about to be sent to: another one than it was sealed for is refused. */
  readonly destination?: string;
  /** False where the secret is compared and never sent: then no destination is asked for. */
  readonly isSent?: false;
}

/**
 * Where a lease takes its rows from and leaves its audit rows, for a caller that has read the rows before and writes the
 * audit together with something else. It answers for both: rows are the live ones once `recordUses` has resolved.
 */
export type LeaseSource = Pick<CredentialStore, 'current' | 'recordUses'>;

/** What the audit row will say. */
export interface LeaseReason {
  /** UUID of the buyer's operation; absent for work of our own. */
  readonly operationId?: string;
  readonly purpose: string;
  readonly actor: string;
}

/** An opened secret, the leaseholder's own copy. */
export interface Lease extends CredentialVersion {
  readonly kind: CredentialKind;
  readonly secret: Secret;
  /** Wipes this copy; the secret reads as zeroes afterwards. */
  release(): void;
}

/** The only way to a secret. Secrets go in once and come out only as leases, each behind a committed audit row. */
export interface Vault {
  /** Seals a new credential. The caller keeps its own copy of the secret and wipes it. */
  put(scope: TenantScope, credential: NewCredential): Promise<Result<CredentialVersion, VaultFailure>>;
  /**
   * Opens the current versions of many credentials for one operation. All audit rows are written in one INSERT
   * before the first secret is opened; when that fails the whole call fails. Otherwise each credential has its own
   * outcome, keyed by credential id, so that one broken record costs one leg. Asking for one credential twice gives
   * one lease and one row. A cached secret gets its row too.
   */
  lease(
    scope: TenantScope,
    requests: readonly LeaseRequest[],
    reason: LeaseReason,
    source?: LeaseSource,
  ): Promise<Result<ReadonlyMap<string, Result<Lease, VaultFailure>>, VaultFailure>>;
  /** The sealed rows of live credentials, for a `LeaseSource`. Nothing is opened, so nothing is audited. */
  sealed(
    scope: TenantScope,
    credentialIds: readonly string[],
  ): Promise<Result<readonly SealedCredential[], VaultFailure>>;
  /** Leases one credential while `use` runs. The lease is released when `use` settles. */
  withSecret<T>(
    scope: TenantScope,
    request: LeaseRequest,
    reason: LeaseReason,
    use: (secret: Secret, version: CredentialVersion) => Promise<T>,
  ): Promise<Result<T, VaultFailure>>;
  /**
   * Seals `secret` as the next version, for the same destination, and retires those before it. `conflict` when a
   * rotation ran beside it.
   */
  rotate(
    scope: TenantScope,
    credentialId: string,
    secret: Secret,
    options?: RotationOptions,
  ): Promise<Result<CredentialVersion, VaultFailure>>;
  /** Live credentials that are sent somewhere and were sealed before destinations were part of the seal. */
  unbound(scope: TenantScope): Promise<Result<readonly SealedCredential[], VaultFailure>>;
  /**
   * Seals a credential of the older scheme again, with a destination, once in its life and on record. False where it
   * is bound already, or was bound before and an older copy of its row has come back.
   */
  bind(scope: TenantScope, credentialId: string, destination: string): Promise<Result<boolean, VaultFailure>>;
  /** Retires every version: no lease can be had any more. The number of versions that were live. */
  revoke(scope: TenantScope, credentialId: string): Promise<Result<number, VaultFailure>>;
  /** Brings every data key of the tenant under the current KMS key. May be stopped and run again at any time. */
  rewrapAll(scope: TenantScope): Promise<Result<RewrapReport, VaultFailure>>;
  /** Keeps what a seller last said against a version, until it takes it again. */
  noteError: CredentialStore['noteError'];
  list(scope: TenantScope): Promise<Result<readonly CredentialMetadata[], VaultFailure>>;
  /** Wipes what is cached, and caches nothing any more. Leases that are out are their holders'. */
  close(): void;
}
