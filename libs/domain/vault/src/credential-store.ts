import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { WrappedKey } from './key-management.js';
import type { CredentialIdentity, SealedCredential } from './sealed-credential.js';

/** The data of a credential version that may be shown: everything except its secret. */
export interface CredentialMetadata extends CredentialIdentity {
  readonly scheme: string;
  readonly kmsKeyId: string;
  readonly createdAt: Instant;
  readonly rewrappedAt?: Instant;
  readonly retiredAt?: Instant;
  /** When whoever gave the secret ends it, as told or entered by a person. */
  readonly endsAt?: Instant;
  /** The newest `credential_use` row of this version. */
  readonly lastUsedAt?: Instant;
  /** The last refusal by its seller, until the seller accepts it again. */
  readonly lastError?: CredentialError;
  readonly state: VersionState;
  /** Calls that the seller answered with it. */
  readonly uses: number;
  /** Calls that the seller refused because of it. */
  readonly refusals: number;
}

/**
 * `candidate`: new, and not yet proved. `current`: the one in use. `fallback`: the one before, while it lives. `refused`:
 * its seller did not take it.
 */
export type VersionState = 'candidate' | 'current' | 'fallback' | 'refused';

/** A version that a call may use. */
export interface UsableCredential extends SealedCredential {
  readonly state: Exclude<VersionState, 'refused'>;
}

/** What a seller has said of a version: `ignored` if it decides nothing. */
export type Settled = 'ignored' | 'accepted' | 'refused' | 'fell_back';

/** Why a seller last refused a credential. */
interface CredentialError {
  readonly at: Instant;
  /** `http_401`, `http_403`. */
  readonly code: string;
}

interface VersionOf {
  readonly credentialId: string;
  readonly version: number;
}

/** Calls of one version that were not counted yet. */
export interface CountedCalls extends VersionOf {
  readonly uses: number;
  readonly refusals: number;
  /** The last error of the version is over. */
  readonly clearsError: boolean;
}

/** One audit row: which secret was opened, for what purpose, by whom. */
export interface CredentialUse {
  readonly credentialId: string;
  readonly credentialVersion: number;
  /** UUID of the buyer's operation that caused it; absent for internal work such as a probe. */
  readonly operationId?: string;
  /** For example `call`, `probe`, `rotate`. */
  readonly purpose: string;
  /** A principal's id, or the name of the internal component. */
  readonly actor: string;
  readonly usedAt: Instant;
}

/**
 * The port that `adapters/store` implements over `credential` and `credential_use`. Methods reject when the
 * database cannot be reached or refuses; absence and lost races are ordinary values.
 */
export interface CredentialStore {
  /** False when (credentialId, version) exists already. Rejects when the row names another organization than the scope. */
  insert(
    scope: TenantScope,
    sealed: SealedCredential,
    trial?: { readonly overlapMs: number },
  ): Promise<boolean>;
  /**
   * For each id the highest current version that is not retired, in one statement, in any order. Ids without one are left
   * out.
   */
  current(scope: TenantScope, credentialIds: readonly string[]): Promise<readonly SealedCredential[]>;
  /**
   * The versions that a call may use, at most two of each id, in the order in which they are tried: a candidate, the
   * current one, its fallback.
   */
  usable(scope: TenantScope, credentialIds: readonly string[]): Promise<readonly UsableCredential[]>;
  /** The highest version, also one that was refused or retired; 0 if there is none. */
  newest(scope: TenantScope, credentialId: string): Promise<number>;
  /**
   * Stores what the seller said of a version. Accepted, a candidate becomes current, and the one before it the fallback.
   * Refused, a candidate is refused, and a current version gives way to a living fallback. Anything else is ignored.
   */
  settle(scope: TenantScope, version: VersionOf, accepted: boolean, at: Instant): Promise<Settled>;
  /** Lets the current version and its living fallback change places; the former current one ends with its time. */
  rollBack(scope: TenantScope, credentialId: string, at: Instant): Promise<number | undefined>;
  /** Adds to the counts of versions, all in one statement. */
  count(scope: TenantScope, counted: readonly CountedCalls[]): Promise<void>;
  /** One version, retired or not. */
  version(scope: TenantScope, credentialId: string, version: number): Promise<SealedCredential | undefined>;
  /** Every version of every credential of the tenant, by credential and version. */
  list(scope: TenantScope): Promise<readonly CredentialMetadata[]>;
  /**
   * Writes all rows in one INSERT, on its own connection and in its own transaction, and resolves after the commit: the
   * rows remain when the work that they record rolls back. Rejects when they could not be written.
   */
  recordUses(scope: TenantScope, uses: readonly CredentialUse[]): Promise<void>;
  /**
   * The same in one round trip with `usable`, for ids whose rows this process has read: `usesOf` gets the rows as they were
   * read last and answers the audit rows. False, with nothing written, if there are none, if rows are not known, or if the
   * versions that a call may use are no longer exactly these.
   */
  recordKnown(
    scope: TenantScope,
    credentialIds: readonly string[],
    usesOf: (rows: readonly UsableCredential[]) => readonly CredentialUse[],
  ): Promise<boolean>;
  /**
   * Compare and set: replaces key id and wrapped key, and sets `rewrapped_at`, only where both still equal `from`.
   * False when they do not.
   */
  replaceWrap(
    scope: TenantScope,
    credential: Pick<CredentialMetadata, 'credentialId' | 'version'>,
    change: { readonly from: WrappedKey; readonly to: WrappedKey; readonly at: Instant },
  ): Promise<boolean>;
  /** The newest versions of live credentials of the first scheme whose kind is sent to a peer. */
  unbound(scope: TenantScope): Promise<readonly SealedCredential[]>;
  /**
   * Compare and set: replaces `from` by `to`, the same version of the same credential, and writes `use`, whose purpose
   * is `bind`, in one transaction. False, with nothing written, where the row no longer equals `from` or a use of this
   * credential with that purpose exists.
   */
  bind(
    scope: TenantScope,
    from: SealedCredential,
    to: SealedCredential,
    use: CredentialUse,
  ): Promise<boolean>;
  /**
   * Retires the live versions up to and including `last`. Returns how many were live. With `overlapMs` they stay
   * live for that time, by the store's clock, and are then retired; without it, versions that are still in such an
   * overlap are retired as well.
   */
  retire(scope: TenantScope, last: VersionOf, at: Instant, overlapMs?: number): Promise<number>;
  /** Stores when the newest version ends; without `at`, that nobody knows. False if none is live. */
  setEnd(scope: TenantScope, credentialId: string, at?: Instant): Promise<boolean>;
  /** Stores the last refusal of a version; without `error`, removes it. False where nothing changed. */
  noteError(scope: TenantScope, version: VersionOf, error?: CredentialError): Promise<boolean>;
}
