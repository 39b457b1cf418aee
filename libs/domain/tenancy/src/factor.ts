import type { Buffer } from 'node:buffer';
import type { Instant } from '@switchyard/values';
import type { TenantScope } from './scope.js';

/** The factors that a person has besides a password, without any secret. */
export interface Factors {
  /** Codes of an authenticator app: the vault credential of their secret, and the newest time step that was used. */
  readonly totp?: { readonly credentialId: string; readonly since: Instant; readonly lastStep: number };
  /** The vault credential of codes that are not confirmed yet. */
  readonly pendingId?: string;
  readonly recoveryCodes: number;
  readonly passkeys: readonly PasskeyRecord[];
}

/** An authenticator as shown to its person. */
export interface PasskeyRecord {
  readonly id: string;
  /** The authenticator's own id, base64url. */
  readonly credentialId: string;
  readonly transports: readonly string[];
  readonly name: string;
  readonly createdAt: Instant;
  readonly lastUsedAt?: Instant;
}

/** The public key and counter that verify an authenticator, and its principal. */
interface PasskeyHolder extends TenantScope {
  readonly principalId: string;
  readonly id: string;
  /** COSE. */
  readonly publicKey: Buffer;
  readonly counter: number;
  readonly transports: readonly string[];
}

/** The port that `adapters/store` implements. Methods reject when the database cannot be reached. */
export interface FactorRepository {
  of(scope: TenantScope, principalId: string): Promise<Factors>;
  /** Stores this credential as the pending secret of new codes. */
  beginTotp(scope: TenantScope, principalId: string, credentialId: string): Promise<void>;
  /** Puts the pending secret in use. Returns false if another secret is pending. */
  confirmTotp(
    scope: TenantScope,
    principalId: string,
    confirmed: { readonly credentialId: string; readonly step: number; readonly at: Instant },
  ): Promise<boolean>;
  /** Returns true if the step is newer than every step used before; of concurrent calls only one gets true. */
  claimStep(scope: TenantScope, principalId: string, step: number): Promise<boolean>;
  removeTotp(scope: TenantScope, principalId: string): Promise<void>;
  /** Replaces the stored hashes with these. */
  setRecoveryCodes(scope: TenantScope, principalId: string, hashes: readonly string[]): Promise<void>;
  /** Uses up a recovery code. Returns true if it was unused; of concurrent calls only one gets true. */
  useRecoveryCode(scope: TenantScope, principalId: string, hash: string): Promise<boolean>;
  /** Returns false if the authenticator is already registered for any principal. */
  addPasskey(
    scope: TenantScope,
    passkey: PasskeyRecord & Pick<PasskeyHolder, 'principalId' | 'publicKey' | 'counter'>,
  ): Promise<boolean>;
  /** Looks up without a tenant. Returns `undefined` if the principal is disabled. */
  passkey(credentialId: string): Promise<PasskeyHolder | undefined>;
  usedPasskey(scope: TenantScope, id: string, counter: number, at: Instant): Promise<void>;
  removePasskey(scope: TenantScope, principalId: string, id: string): Promise<boolean>;
  /** Removes all factors except the password. */
  reset(scope: TenantScope, principalId: string): Promise<void>;
}
