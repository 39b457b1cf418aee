import type { Instant } from '@switchyard/values';
import type { TenantScope } from './scope.js';

/**
 * Limits of wrong passwords in a row. After `fromOne` of them one source is refused for `lockMs` milliseconds, so that it
 * alone cannot lock the address; after `attempts` the address is locked for as long.
 */
const passwordLock = { fromOne: 5, attempts: 10, lockMs: 15 * 60_000 } as const;

/** Where an attempt comes from: the network address of a browser, or a session of the person. */
export type AttemptSource = 'session' | { readonly address: string };

/** The wrong attempts in a row on one address. */
export interface Attempts {
  readonly failed: number;
  readonly lockedUntil?: Instant;
  /** By source: how many, and when the last one was. */
  readonly sources: Readonly<Record<string, { readonly failed: number; readonly at: Instant }>>;
}

/**
 * Counts an attempt before its secret is checked. Returns `undefined` if the source or the address is locked; nothing is
 * counted then. A source that the person is known by is refused by its own attempts alone: a lock by others does not
 * shut the person out, and its attempts lock nobody else out.
 */
export function countAttempt(
  { failed, lockedUntil = 0, sources }: Attempts,
  source: string,
  isKnown: boolean,
  at: Instant,
): Attempts | undefined {
  const { fromOne, attempts, lockMs } = passwordLock;
  const recent = Object.entries(sources).filter(([, last]) => at - last.at < lockMs);
  const own = recent.find(([name]) => name === source)?.[1].failed ?? 0;
  if (own >= fromOne || (!isKnown && lockedUntil > at)) return undefined;
  const next = { ...Object.fromEntries(recent), [source]: { failed: own + 1, at } };
  if (isKnown) return { failed, ...(lockedUntil > at && { lockedUntil }), sources: next };
  if (failed + 1 < attempts) return { failed: failed + 1, sources: next };
  return { failed: 0, lockedUntil: at + lockMs, sources: next };
}

/** The stored form of a password. */
interface PasswordHolder extends TenantScope {
  readonly principalId: string;
  /** Argon2id, in PHC form. */
  readonly hash: string;
}

/** The port that `adapters/store` implements. Methods reject when the database cannot be reached. */
export interface PasswordRepository {
  /**
   * Looks up without a tenant: everybody who signs in with this address and is not disabled, those that have proved it
   * first, then the oldest. Several people may have set one address, because nobody is told who has it.
   */
  holders(email: string): Promise<readonly PasswordHolder[]>;
  /**
   * Counts an attempt before its password is checked, so that concurrent attempts are counted too. Returns false if the
   * source or the address is locked.
   */
  claimAttempt(scope: TenantScope, principalId: string, from: AttemptSource, at: Instant): Promise<boolean>;
  /** Resets the count of attempts, after a correct password. */
  forgetAttempts(scope: TenantScope, principalId: string): Promise<void>;
  /**
   * Sets address and hash and ends all sessions of the person; another password also ends the programs that the person
   * let in.
   */
  set(
    scope: TenantScope,
    wanted: Omit<PasswordHolder, 'organizationId'> & { email: string },
    at: Instant,
  ): Promise<void>;
  /** Returns the address and hash of one person. */
  of(
    scope: TenantScope,
    principalId: string,
  ): Promise<{ readonly email: string; readonly hash: string } | undefined>;
}
