import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { WrappedKey } from './key-management.js';
import type { CredentialIdentity, SealedCredential } from './sealed-credential.js';

/** What may be shown of a credential version: everything but its secret. */
export interface CredentialMetadata extends CredentialIdentity {
  readonly scheme: string;
  readonly kmsKeyId: string;
  readonly createdAt: Instant;
  readonly rewrappedAt?: Instant;
  readonly retiredAt?: Instant;
  /** The newest `credential_use` row of this version. */
  readonly lastUsedAt?: Instant;
  /** The last refusal by its seller, until the seller takes it again. */
  readonly lastError?: CredentialError;
}

/** Why a seller last refused a credential. */
export interface CredentialError {
  readonly at: Instant;
  /** `http_401`, `http_403`. */
  readonly code: string;
}

export interface VersionOf {
  readonly credentialId: string;
  readonly version: number;
}

/** One audit row: which secret was handed out, for what, to whom. */
export interface CredentialUse {
  readonly credentialId: string;
  readonly credentialVersion: number;
  /** UUID of the buyer's operation that caused it; absent for work of our own such as a probe. */
  readonly operationId?: string;
  /** For example `call`, `probe`, `rotate`. */
  readonly purpose: string;
  /** A principal's id, or the name of the part of us that acted. */
  readonly actor: string;
  readonly usedAt: Instant;
}

/**
 * The port that `adapters/store` implements over `credential` and `credential_use`. Methods reject when the
 * database cannot be reached or refuses; absence and lost races are ordinary values.
 */
export interface CredentialStore {
  /** False when (credentialId, version) exists already. Rejects when the row names another organization than the scope. */
  insert(scope: TenantScope, sealed: SealedCredential): Promise<boolean>;
  /** For each id the highest version that is not retired, in one statement. Ids without one are left out; order is free. */
  current(scope: TenantScope, credentialIds: readonly string[]): Promise<readonly SealedCredential[]>;
  /** One version, retired or not. */
  version(scope: TenantScope, credentialId: string, version: number): Promise<SealedCredential | undefined>;
  /** Every version of every credential of the tenant, by credential and version. */
  list(scope: TenantScope): Promise<readonly CredentialMetadata[]>;
  /**
   * Writes all rows in one INSERT, on a connection and in a transaction of its own, and resolves after its commit:
   * the rows stay when the work they were written for rolls back. Rejects when they could not be written.
   */
  recordUses(scope: TenantScope, uses: readonly CredentialUse[]): Promise<void>;
  /**
   * Compare and set: replaces key id and wrapped key, and sets `rewrapped_at`, only where both still equal `from`.
   * False when they do not.
   */
  replaceWrap(
    scope: TenantScope,
    credential: Pick<CredentialMetadata, 'credentialId' | 'version'>,
    change: { readonly from: WrappedKey; readonly to: WrappedKey; readonly at: Instant },
  ): Promise<boolean>;
  /** The live credentials of the first scheme whose kind is sent somewhere, newest version of each. */
  unbound(scope: TenantScope): Promise<readonly SealedCredential[]>;
  /**
   * Compare and set: writes `to` in the place of `from`, the same version of the same credential, and `use`, whose
   * purpose is `bind`, in one transaction. False, and nothing is written, where the row is not `from` any more, or
   * where a use of this credential with that purpose stands already.
   */
  bind(
    scope: TenantScope,
    from: SealedCredential,
    to: SealedCredential,
    use: CredentialUse,
  ): Promise<boolean>;
  /**
   * Retires the live versions up to and including `upToVersion`; the number that were live. With `overlapMs` they stay what
   * they are for so long, by the store's own clock, and are retired then by themselves; without, also those that wait so.
   */
  retire(
    scope: TenantScope,
    credentialId: string,
    upToVersion: number,
    at: Instant,
    overlapMs?: number,
  ): Promise<number>;
  /** Keeps what a seller last said against a version; absent: it has taken it since. False where nothing is changed. */
  noteError(scope: TenantScope, version: VersionOf, error?: CredentialError): Promise<boolean>;
}
