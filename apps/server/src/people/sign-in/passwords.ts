import { createHash } from 'node:crypto';
import type { AttemptSource, PasswordRepository, TenantScope } from '@switchyard/tenancy';
import { err, ok, type Clock, type Result } from '@switchyard/values';

/** Argon2id with 19 MiB, two passes and one lane, as in OWASP's password storage page. 2 is the library's Argon2id. */
const strength = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Each takes 19 MiB and about 20 ms of a processor: a few at once, and a short queue. */
const atOnce = 2;
const waitingAtMost = 50;

/** Of the people who have set one address, so many count a wrong attempt; it is counted with each that it would open. */
const mostCounted = 32;

/** A native library: loaded at the first sign-in with a password, not at every start. */
const argon2 = () => import('@node-rs/argon2');

/** `busy`: nothing was compared, because too many checks were waiting. */
export type PasswordRefusal = 'wrong' | 'busy';

/** Passwords of people. */
export interface Passwords {
  /**
   * The person of an address and password. `wrong` gives no reason: an unknown address, a wrong password and a locked
   * address get the same answer in the same time. The attempt stays counted until `passed` reports that the whole
   * sign-in succeeded.
   */
  check(
    email: string,
    password: string,
    from: AttemptSource,
  ): Promise<Result<TenantScope & { readonly principalId: string }, PasswordRefusal>>;
  /** The hash to store for an address; undefined if too many are being made at this moment. */
  hash(email: string, password: string): Promise<string | undefined>;
  /** Resets the attempts of a person who has signed in. */
  passed(scope: TenantScope, principalId: string): Promise<void>;
  /** Counts an attempt with a second factor. False if the source or the address is locked. */
  claimAttempt(scope: TenantScope, principalId: string, from: AttemptSource): Promise<boolean>;
  /** The e-mail address that a person signs in with; undefined if there is no password. */
  emailOf(scope: TenantScope, principalId: string): Promise<string | undefined>;
  /** Checks the password of a person who is signed in. */
  isRight(
    scope: TenantScope,
    principalId: string,
    password: string,
  ): Promise<Result<undefined, PasswordRefusal>>;
  /**
   * Sets another password under the address of a person, who has proved that address by a mailed link. Every session and
   * every program of the person ends. `take` uses the link up, once the password is hashed: `busy` leaves it valid. `wrong`:
   * `take` says that it was used before, or the person has no password.
   */
  replace(
    scope: TenantScope,
    principalId: string,
    password: string,
    take: () => Promise<boolean>,
  ): Promise<Result<undefined, PasswordRefusal>>;
  /**
   * Sets a person's address and password; every session of the person ends, and with another password every program.
   * The address is not proved by this, and others may have set it too: the answer does not say whether they have.
   */
  set(
    scope: TenantScope,
    principalId: string,
    wanted: { readonly email: string; readonly password: string; readonly current?: string },
  ): Promise<Result<undefined, PasswordRefusal>>;
}

export function createPasswords(repository: PasswordRepository, clock: Clock): Passwords {
  const inTurn = queueOf(atOnce, waitingAtMost);
  // An unknown address takes as long as a known one.
  let nobodys: Promise<string> | undefined;
  const hashOfNobody = (): Promise<string> =>
    (nobodys ??= argon2().then(({ hash }) => hash('no password at all', strength)));
  const hash = async (email: string, password: string): Promise<string | undefined> => {
    const [first] = await repository.holders(normal(email));
    return inTurn(async () =>
      (await argon2()).hash(password, { ...strength, ...(first && { salt: saltOf(first.hash) }) }),
    );
  };
  return {
    check: async (email, password, from) => {
      const holders = await repository.holders(normal(email));
      const against = holders.length === 0 ? [await hashOfNobody()] : holders.map(({ hash: own }) => own);
      const claim = ({ principalId, ...scope }: (typeof holders)[number]): Promise<boolean> =>
        repository.claimAttempt(scope, principalId, from, clock.now());
      // In parallel: otherwise the time of counting would reveal whether an address is known.
      const [isOpen, right] = await Promise.all([
        Promise.all(holders.slice(0, mostCounted).map(claim)),
        inTurn(() => firstMatch(against, password)),
      ]);
      if (right === undefined) return err('busy');
      const holder = holders[right];
      if (holder === undefined || !(isOpen[right] ?? (await claim(holder)))) return err('wrong');
      return ok({ organizationId: holder.organizationId, principalId: holder.principalId });
    },
    hash,
    passed: (scope, principalId) => repository.forgetAttempts(scope, principalId),
    claimAttempt: (scope, principalId, from) =>
      repository.claimAttempt(scope, principalId, from, clock.now()),
    emailOf: async (scope, principalId) => (await repository.of(scope, principalId))?.email,
    isRight: async (scope, principalId, password) => {
      const stored = await repository.of(scope, principalId);
      if (stored === undefined) return err('wrong');
      if (!(await repository.claimAttempt(scope, principalId, 'session', clock.now()))) return err('wrong');
      const isRight = await inTurn(async () => (await argon2()).verify(stored.hash, password));
      if (isRight === undefined) return err('busy');
      if (!isRight) return err('wrong');
      await repository.forgetAttempts(scope, principalId);
      return ok(undefined);
    },
    replace: async (scope, principalId, password, take) => {
      const before = await repository.of(scope, principalId);
      if (before === undefined) return err('wrong');
      const made = await hash(before.email, password);
      if (made === undefined) return err('busy');
      if (!(await take())) return err('wrong');
      await repository.set(scope, { principalId, email: before.email, hash: made }, clock.now());
      return ok(undefined);
    },
    set: async (scope, principalId, { email, password, current }) => {
      const before = await repository.of(scope, principalId);
      if (before !== undefined) {
        if (!(await repository.claimAttempt(scope, principalId, 'session', clock.now()))) return err('wrong');
        const isRight = await inTurn(async () => (await argon2()).verify(before.hash, current ?? ''));
        if (isRight === undefined) return err('busy');
        if (!isRight) return err('wrong');
      }
      const made = await hash(email, password);
      if (made === undefined) return err('busy');
      await repository.set(scope, { principalId, email: normal(email), hash: made }, clock.now());
      return ok(undefined);
    },
  };
}

/**
 * Which of the hashes is that of the password; -1 for none. Hashes of one address share a salt, so that one is computed
 * however many people have set the address: the time does not tell how many there are.
 */
async function firstMatch(hashes: readonly string[], password: string): Promise<number> {
  const { hash, parseOptions } = await argon2();
  const computed = new Map<string, string>();
  for (const stored of hashes) {
    const start = stored.slice(0, stored.lastIndexOf('$'));
    if (computed.has(start)) continue;
    const { algorithm, version, memoryCost, timeCost, parallelism, outputLen } = parseOptions(stored);
    const options = { algorithm, version, memoryCost, timeCost, parallelism, outputLen };
    computed.set(start, await hash(password, { ...options, salt: saltOf(stored) }));
  }
  const made = new Set([...computed.values()].map(digestOf));
  return hashes.findIndex((stored) => made.has(digestOf(stored)));
}

/** Compared in place of the hash, so that the time of a comparison says nothing about it. */
const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64');

/** The salt of a hash in PHC form. */
const saltOf = (stored: string): Buffer => Buffer.from(stored.split('$').at(-2) ?? '', 'base64');

const normal = (email: string): string => email.trim().toLowerCase();

/** Runs `running` at once and lets `waiting` wait; undefined for all others. */
function queueOf(running: number, waiting: number) {
  const turns: (() => void)[] = [];
  let free = running;
  return async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    if (free === 0 && turns.length >= waiting) return undefined;
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => turns.push(resolve));
    try {
      return await work();
    } finally {
      const next = turns.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
