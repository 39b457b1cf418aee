import type { Buffer } from 'node:buffer';
import type { TenantScope } from '@switchyard/tenancy';
import type { Clock, Instant, Result, Secret } from '@switchyard/values';
import type { CredentialMetadata, CredentialStore, Settled } from './credential-store.js';
import type { KeyManagement } from './key-management.js';
import type { CredentialKind, SealedCredential } from './sealed-credential.js';
import type { VaultFailure } from './vault-failure.js';

export interface VaultDeps {
  readonly kms: KeyManagement;
  readonly store: CredentialStore;
  readonly clock: Clock;
  /** Returns a new UUID. */
  readonly newId: () => string;
  /** Returns cryptographically strong random bytes. */
  readonly randomBytes: (size: number) => Buffer;
  /** Number of opened secrets in the cache, each for at most 60 seconds. 2,000 when absent; 0 disables the cache. */
  readonly cacheEntries?: number;
}

export interface NewCredential {
  readonly kind: CredentialKind;
  readonly secret: Secret;
  /** UUID. */
  readonly connectionId?: string;
  /** Slug. */
  readonly seller?: string;
  /** UUID: it is the login of this client alone. */
  readonly clientId?: string;
  /** Origin to which the secret may be sent: required for each kind that is sent, forbidden for others. */
  readonly destination?: string;
}

export interface RotationOptions {
  /** Used only where the previous version has no destination. */
  readonly destinationIfUnbound?: string;
  /** How long the previous versions stay live beside the new one, in milliseconds; default 0. */
  readonly overlapMs?: number;
  /** The new version is a candidate: the one before stays current until a seller takes the new one. */
  readonly isTrial?: true;
}

export interface CredentialVersion {
  readonly credentialId: string;
  readonly version: number;
}

/**
 * A version that can be sealed without the key service: its data key is there. For secrets that are lost if they cannot
 * be stored once they are known, such as a token that replaces another one.
 */
export interface PreparedVersion extends CredentialVersion {
  /** Seals one secret. The caller stores the result, together with what belongs to it. */
  seal(secret: Secret): SealedCredential;
  /** Wipes the data key. */
  discard(): void;
}

/**
 * Which version is prepared: the one after a version that is stored, live or retired, or the first of a new credential. A
 * stored one that is not sealed for the named client, or for none, is refused.
 */
export type VersionToPrepare =
  | (CredentialVersion & Pick<NewCredential, 'clientId'>)
  | Omit<NewCredential, 'secret'>;

/** What the caller expects of the credential; a record that differs is refused, not opened. */
export interface LeaseRequest {
  readonly credentialId: string;
  readonly kind: CredentialKind;
  readonly connectionId?: string;
  readonly seller?: string;
  /** The client in whose name it is used; refused unless the secret is sealed for that client, or for none if absent. */
  readonly clientId?: string;
  /** Origin to which the secret will be sent; refused unless the secret is sealed for it. */
  readonly destination?: string;
  /** False where the secret is only compared and never sent: then no destination is required. */
  readonly isSent?: false;
}

/**
 * Source of rows and destination of audit rows of a lease, for a caller that has read the rows before and writes the
 * audit rows together with other data. The caller guarantees both: the rows are live once `recordUses` has resolved.
 */
export type LeaseSource = Pick<CredentialStore, 'usable' | 'recordUses'> &
  Partial<Pick<CredentialStore, 'recordKnown'>>;

/** Content of the audit row. */
export interface LeaseReason {
  /** UUID of the buyer's operation; absent for internal work. */
  readonly operationId?: string;
  readonly purpose: string;
  readonly actor: string;
}

/** An opened secret. The copy belongs to the leaseholder. */
export interface Lease extends CredentialVersion {
  readonly kind: CredentialKind;
  readonly secret: Secret;
  /** It is new, and no seller has taken it yet. */
  readonly isCandidate?: true;
  /** The version to go on with if the seller refuses this one. */
  readonly instead?: Lease;
  /** Wipes this copy and that of the other version; the secrets read as zeroes afterwards. */
  release(): void;
}

/** The only access to secrets. A secret is stored once and opened only as a lease, after its audit row is committed. */
export interface Vault {
  /** Seals a new credential. The caller still owns its copy of the secret and wipes it. */
  put(scope: TenantScope, credential: NewCredential): Promise<Result<CredentialVersion, VaultFailure>>;
  /**
   * Opens the current versions of many credentials for one operation. All audit rows are written in one INSERT before
   * the first secret is opened; when that fails the whole call fails. Otherwise each credential has its own outcome, by
   * credential id, so one broken record fails one leg only. Requesting one credential twice gives one lease and one
   * row. A cached secret gets its row too.
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
   * Seals `secret` as the next version, for the same destination, and retires the versions before it. `conflict` when
   * another rotation ran at the same time.
   */
  rotate(
    scope: TenantScope,
    credentialId: string,
    secret: Secret,
    options?: RotationOptions,
  ): Promise<Result<CredentialVersion, VaultFailure>>;
  /** Gets the data key of a version before its secret is known. Stores nothing. */
  prepare(scope: TenantScope, wanted: VersionToPrepare): Promise<Result<PreparedVersion, VaultFailure>>;
  /** Live credentials whose kind is sent and that were sealed before seals included a destination. */
  unbound(scope: TenantScope): Promise<Result<readonly SealedCredential[], VaultFailure>>;
  /**
   * Seals a credential of the first scheme again, with a destination, once per credential and with an audit row. False
   * where it is bound already, or was bound before and an older copy of its row was restored.
   */
  bind(scope: TenantScope, credentialId: string, destination: string): Promise<Result<boolean, VaultFailure>>;
  /** Retires every version, so no lease is possible any more. Returns how many versions were live. */
  revoke(scope: TenantScope, credentialId: string): Promise<Result<number, VaultFailure>>;
  /**
   * Wraps every data key of the tenant under the current KMS key. May be stopped and run again at any time; after `until`
   * it begins with no further record.
   */
  rewrapAll(scope: TenantScope, until?: Instant): Promise<Result<RewrapReport, VaultFailure>>;
  /** Stores what a seller said of a version: it takes it, or refuses it. */
  settle(
    scope: TenantScope,
    version: CredentialVersion,
    accepted: boolean,
  ): Promise<Result<Settled, VaultFailure>>;
  /** Goes back to the version before while it lives; undefined if it does not. The answer is the version in use. */
  rollBack(scope: TenantScope, credentialId: string): Promise<Result<number | undefined, VaultFailure>>;
  /** Adds to the counts of versions. */
  count: CredentialStore['count'];
  /** Stores a seller's last refusal of a version, until the seller accepts it again. */
  noteError: CredentialStore['noteError'];
  /** Stores when the newest version ends, for who watches it. False if none is live. */
  setEnd: CredentialStore['setEnd'];
  list(scope: TenantScope): Promise<Result<readonly CredentialMetadata[], VaultFailure>>;
  /** Wipes the cache and disables it. Leases that were given out stay with their holders. */
  close(): void;
}

/** The result of a run. Everything is rewrapped when `changedMeanwhile` is 0 and `failed` is empty. */
export interface RewrapReport {
  readonly examined: number;
  readonly alreadyCurrent: number;
  readonly rewrapped: number;
  /** Rows that another run changed first; the next run reads them again. */
  readonly changedMeanwhile: number;
  readonly failed: readonly (CredentialVersion & { readonly failure: VaultFailure })[];
}
