import { createHash, randomBytes } from 'node:crypto';
import type { AttemptSource, FactorRepository, Factors, TenantScope } from '@switchyard/tenancy';
import { err, ok, Secret, type Clock, type Result } from '@switchyard/values';
import type { Vault } from '@switchyard/vault';
import type { Passwords } from './passwords.js';

/** A code of the previous and of the next step is accepted too, because clocks differ. In seconds. */
const toleranceSeconds = 30;
const recoveryCodes = 10;
/** Base32 without letters that look like digits. 16 of them are 80 bits. */
const letters = 'ABCDEFGHJKMNPQRSTVWXYZ0123456789';
const lettersOfCode = 16;

export type FactorRefusal = 'no_password' | 'wrong' | 'unavailable' | 'not_begun';

/** Second factors that a person has added to the password: a code of an app, or one of ten recovery codes. */
export interface SecondFactors {
  of(scope: TenantScope, principalId: string): Promise<Factors>;
  /** Whether a code is valid. Each code of an app or recovery code is valid once. Attempts count as with passwords. */
  check(scope: TenantScope, principalId: string, code: string, from: AttemptSource): Promise<boolean>;
  /** A new secret for an app's codes, shown only this once. It is active after the first valid code. */
  begin(
    scope: TenantScope,
    principalId: string,
  ): Promise<Result<{ readonly secret: string; readonly uri: string }, FactorRefusal>>;
  confirm(scope: TenantScope, principalId: string, code: string): Promise<Result<undefined, FactorRefusal>>;
  /** Ten new recovery codes that replace the old ones. Shown only this once. */
  renewRecoveryCodes(scope: TenantScope, principalId: string): Promise<readonly string[]>;
  removeTotp(scope: TenantScope, principalId: string): Promise<void>;
  /** Removes every factor beside the password. */
  reset(scope: TenantScope, principalId: string): Promise<void>;
}

interface FactorsDeps {
  readonly repository: FactorRepository;
  readonly passwords: Passwords;
  readonly vault: Pick<Vault, 'put' | 'withSecret' | 'revoke'>;
  readonly clock: Clock;
}

/** Loaded at the first use. */
const otp = () => import('otplib');

export function createSecondFactors({ repository, passwords, vault, clock }: FactorsDeps): SecondFactors {
  /** The time step of a valid code. */
  const stepOf = async (
    scope: TenantScope,
    credentialId: string,
    token: string,
    lastStep?: number,
  ): Promise<number | undefined> => {
    const { verify } = await otp();
    const opened = await vault.withSecret(
      scope,
      { credentialId, kind: 'factor' },
      { purpose: 'second_factor', actor: 'sign-in' },
      (secret) =>
        secret.useText((text) =>
          verify({
            secret: text,
            token,
            epoch: Math.floor(clock.now() / 1000),
            epochTolerance: toleranceSeconds,
            ...(lastStep !== undefined && { afterTimeStep: lastStep }),
          }),
        ),
    );
    if (!opened.ok || !opened.value.valid || !('timeStep' in opened.value)) return undefined;
    return opened.value.timeStep;
  };
  const forget = async (scope: TenantScope, credentialId: string | undefined): Promise<void> => {
    if (credentialId !== undefined) await vault.revoke(scope, credentialId);
  };
  return {
    of: (scope, principalId) => repository.of(scope, principalId),
    check: async (scope, principalId, given, from) => {
      if (!(await passwords.claimAttempt(scope, principalId, from))) return false;
      const code = plain(given);
      if (code.length === lettersOfCode)
        return repository.useRecoveryCode(scope, principalId, hashOf(principalId, code));
      if (!/^\d{6}$/.test(code)) return false;
      const { totp } = await repository.of(scope, principalId);
      const step = totp && (await stepOf(scope, totp.credentialId, code, totp.lastStep));
      return step !== undefined && repository.claimStep(scope, principalId, step);
    },
    begin: async (scope, principalId) => {
      const email = await passwords.emailOf(scope, principalId);
      if (email === undefined) return err('no_password');
      const { generateSecret, generateURI } = await otp();
      const text = generateSecret();
      const secret = new Secret(Buffer.from(text, 'utf8'));
      const sealed = await vault.put(scope, { kind: 'factor', secret });
      secret.wipe();
      if (!sealed.ok) return err('unavailable');
      await repository.beginTotp(scope, principalId, sealed.value.credentialId);
      return ok({ secret: text, uri: generateURI({ issuer: 'Switchyard', label: email, secret: text }) });
    },
    confirm: async (scope, principalId, code) => {
      const { pendingId, totp } = await repository.of(scope, principalId);
      if (pendingId === undefined) return err('not_begun');
      const step = await stepOf(scope, pendingId, plain(code));
      if (step === undefined) return err('wrong');
      const confirmed = { credentialId: pendingId, step, at: clock.now() };
      if (!(await repository.confirmTotp(scope, principalId, confirmed))) return err('not_begun');
      await forget(scope, totp?.credentialId);
      return ok(undefined);
    },
    renewRecoveryCodes: async (scope, principalId) => {
      const codes = Array.from({ length: recoveryCodes }, newCode);
      const hashes = codes.map((code) => hashOf(principalId, code));
      await repository.setRecoveryCodes(scope, principalId, hashes);
      return codes.map((code) => code.replaceAll(/(.{4})(?=.)/g, '$1-'));
    },
    removeTotp: async (scope, principalId) => {
      const { totp } = await repository.of(scope, principalId);
      await repository.removeTotp(scope, principalId);
      await forget(scope, totp?.credentialId);
    },
    reset: async (scope, principalId) => {
      const { totp } = await repository.of(scope, principalId);
      await repository.reset(scope, principalId);
      await forget(scope, totp?.credentialId);
    },
  };
}

/** Whether the person needs more than a password to sign in. */
export const needsSecondFactor = ({ totp, passkeys }: Factors): boolean =>
  totp !== undefined || passkeys.length > 0;

/** Codes as people type them: with spaces and dashes, in small letters. */
const plain = (code: string): string => code.replaceAll(/[\s-]/g, '').toUpperCase();

/** A code has 80 random bits, so its fast hash cannot be searched. */
const hashOf = (principalId: string, code: string): string =>
  createHash('sha256').update(`recovery\0${principalId}\0${code}`).digest('hex');

function newCode(): string {
  return Array.from(randomBytes(lettersOfCode), (byte) => letters[byte % letters.length]).join('');
}
