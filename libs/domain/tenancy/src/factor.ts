import type { Buffer } from 'node:buffer';
import type { Instant } from '@switchyard/values';
import type { TenantScope } from './scope.js';

/** What a person has beside a password, without any secret. */
export interface Factors {
  /** Codes of an app: the credential in the vault that has their secret, and the newest time step that was taken. */
  readonly totp?: { readonly credentialId: string; readonly since: Instant; readonly lastStep: number };
  /** The credential of codes that are being set up. */
  readonly pendingId?: string;
  readonly recoveryCodes: number;
  readonly passkeys: readonly PasskeyRecord[];
}

/** An authenticator as its person sees it. */
export interface PasskeyRecord {
  readonly id: string;
  /** As the authenticator names it, base64url. */
  readonly credentialId: string;
  readonly transports: readonly string[];
  readonly name: string;
  readonly createdAt: Instant;
  readonly lastUsedAt?: Instant;
}

/** What proves an authenticator, and whose it is. */
export interface PasskeyHolder extends TenantScope {
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
  /** Codes are being set up with the secret of this credential. */
  beginTotp(scope: TenantScope, principalId: string, credentialId: string): Promise<void>;
  /** The secret that was pending is in use from now on; false where another one is pending. */
  confirmTotp(
    scope: TenantScope,
    principalId: string,
    confirmed: { readonly credentialId: string; readonly step: number; readonly at: Instant },
  ): Promise<boolean>;
  /** True for the one of several at once that shows a code newer than every code before it. */
  claimStep(scope: TenantScope, principalId: string, step: number): Promise<boolean>;
  removeTotp(scope: TenantScope, principalId: string): Promise<void>;
  /** Puts these hashes in the place of those that are there. */
  setRecoveryCodes(scope: TenantScope, principalId: string, hashes: readonly string[]): Promise<void>;
  /** True for the one of several at once who is the first with a code that is there. */
  useRecoveryCode(scope: TenantScope, principalId: string, hash: string): Promise<boolean>;
  /** False where the authenticator is registered already, for whomever. */
  addPasskey(
    scope: TenantScope,
    passkey: PasskeyRecord & Pick<PasskeyHolder, 'principalId' | 'publicKey' | 'counter'>,
  ): Promise<boolean>;
  /** The look-up without a tenant. Nothing where its principal is switched off. */
  passkey(credentialId: string): Promise<PasskeyHolder | undefined>;
  usedPasskey(scope: TenantScope, id: string, counter: number, at: Instant): Promise<void>;
  removePasskey(scope: TenantScope, principalId: string, id: string): Promise<boolean>;
  /** Removes everything beside the password. */
  reset(scope: TenantScope, principalId: string): Promise<void>;
}
