import { Buffer } from 'node:buffer';
import type { SellerTarget, TransportFailure } from '@switchyard/sellers';
import { err, ok, Secret, type Clock, type Instant, type Result } from '@switchyard/values';
import type { Wires } from './exchange.js';
import { failureOf } from './failure.js';
import type { SellerSession } from './session.js';

export type OpenSession = (
  target: SellerTarget,
  wires: Wires,
  signal: AbortSignal,
) => Promise<Result<SellerSession, TransportFailure>>;

interface Entry {
  readonly identity: string;
  /** Without a credential, which is in `copy`. */
  readonly target: SellerTarget;
  /** Absent if the seller is called without one, and after some time without calls. */
  copy?: CredentialCopy;
  readonly openedAt: Instant;
  usedAt: Instant;
  readonly opening: Promise<Result<SellerSession, TransportFailure>>;
  /** Set once the session is open, so that a warm call does not wait. */
  opened?: SellerSession;
}

/** The pool's own copy of a caller's credential: the caller wipes its own when it is done. */
interface CredentialCopy {
  readonly credential: NonNullable<SellerTarget['credential']>;
  readonly since: Instant;
  /** Number of running uses. The copy is wiped at 0. */
  uses: number;
}

const goodbyeMs = 1_000;
/**
 * Milliseconds. Opened secrets are in memory for a minute at most: a copy older than `copyMs` is wiped by the next
 * sweep, or, if a call still uses it, by the first sweep after that call.
 */
const copyMs = 45_000;
const sweepMs = 15_000;
const idleMs = 60_000;
/** A session that is always in use is opened again after this time. */
const oldestMs = 900_000;

/**
 * Warm sessions, one per (organization, connection, credential version) and address. The first caller opens it and all
 * others wait for the same opening; a caller that gives up ends only its own wait.
 *
 * A session needs a copy of its secret to open, to finish what a caller left, and to close. Each copy is wiped after a
 * minute, together with a session that is not in use; the next caller brings another copy.
 */
export class SessionPool {
  readonly #entries = new Map<string, Entry>();
  /** Copies that were replaced while a call used them. */
  readonly #replaced = new Set<CredentialCopy>();
  readonly #leaving = new Set<Entry>();
  readonly #open: OpenSession;
  readonly #wires: Wires;
  readonly #clock: Clock;
  #cancelSweep: (() => void) | undefined;

  constructor(open: OpenSession, wires: Wires, clock: Clock = processClock) {
    this.#open = open;
    this.#wires = wires;
    this.#clock = clock;
  }

  async session(target: SellerTarget, signal: AbortSignal): Promise<Result<SellerSession, TransportFailure>> {
    // A caller that has left has wiped its secret: a session opened with the rest of it would be useless.
    if (signal.aborted) return err(failureOf('aborted', 'no'));
    const place = placeOf(target);
    const identity = identityOf(target);
    let entry = this.#entries.get(place);
    const now = this.#clock.now();
    if (entry?.identity !== identity || entry.opened?.isDead === true) {
      // Another credential version, another address, or a session that the seller has dropped: it is of no more use.
      if (entry !== undefined) this.#leave(entry, now);
      entry = this.#opened(identity, target);
      this.#entries.set(place, entry);
    } else if (now - entry.openedAt >= oldestMs) {
      this.#leaving.add(entry);
      entry = this.#opened(identity, target);
      this.#entries.set(place, entry);
    } else {
      this.#refresh(entry, target);
    }
    entry.usedAt = now;
    if (entry.opened !== undefined) return ok(entry.opened);
    const opened = await unlessAborted(entry.opening, signal);
    if (opened === undefined) return err(failureOf('aborted', 'no'));
    if (!opened.ok && this.#entries.get(place) === entry) this.#entries.delete(place);
    return opened;
  }

  /** A session that calls still use ends with the last of them. */
  #leave(entry: Entry, now: Instant): void {
    if ((entry.copy?.uses ?? 0) > 0 && entry.opened?.isDead === false && now - entry.openedAt < oldestMs)
      this.#leaving.add(entry);
    else void this.#bury(entry);
  }

  async forget(connectionId: string): Promise<void> {
    const gone = [...this.#entries].filter(([, entry]) => entry.target.connectionId === connectionId);
    for (const [place] of gone) this.#entries.delete(place);
    await Promise.all(gone.map(([, entry]) => this.#bury(entry)));
  }

  async close(): Promise<void> {
    this.#cancelSweep?.();
    this.#cancelSweep = undefined;
    const entries = [...this.#entries.values(), ...this.#leaving];
    this.#entries.clear();
    this.#leaving.clear();
    await Promise.all(entries.map((entry) => this.#bury(entry)));
    for (const copy of this.#replaced) copy.credential.secret.wipe();
    this.#replaced.clear();
  }

  /** The copy of an entry, made from this caller's credential if it is missing or old. */
  #refresh(entry: Entry, { credential }: SellerTarget): void {
    const { copy } = entry;
    if (credential === undefined) return;
    if (copy !== undefined && this.#clock.now() - copy.since < copyMs) return;
    if (copy !== undefined) this.#drop(copy);
    entry.copy = copyOf(credential, this.#clock.now());
  }

  #drop(copy: CredentialCopy): void {
    if (copy.uses === 0) copy.credential.secret.wipe();
    else this.#replaced.add(copy);
  }

  #sweepLater(): void {
    this.#cancelSweep ??= this.#clock.after(sweepMs, () => {
      this.#cancelSweep = undefined;
      this.#sweep();
      if (this.#entries.size + this.#leaving.size + this.#replaced.size > 0) this.#sweepLater();
    });
  }

  #sweep(): void {
    const now = this.#clock.now();
    for (const copy of this.#replaced) {
      if (copy.uses > 0) continue;
      copy.credential.secret.wipe();
      this.#replaced.delete(copy);
    }
    for (const entry of this.#leaving) {
      if ((entry.copy?.uses ?? 0) > 0) continue;
      this.#leaving.delete(entry);
      void this.#bury(entry);
    }
    for (const [place, entry] of this.#entries) {
      const { copy } = entry;
      if (copy !== undefined && copy.uses > 0) continue;
      const isOld = copy !== undefined && now - copy.since >= copyMs;
      const idle = now - entry.usedAt;
      if (idle >= idleMs || (isOld && idle >= sweepMs)) {
        // Before the copy is wiped: closing the session needs it.
        this.#entries.delete(place);
        void this.#bury(entry);
      } else if (isOld) {
        copy.credential.secret.wipe();
        delete entry.copy;
      }
    }
  }

  /** The opening has its own time limit: a caller with a short deadline must not end it for the others. */
  #opened(identity: string, { credential, ...target }: SellerTarget): Entry {
    const now = this.#clock.now();
    const copy = credential === undefined ? undefined : copyOf(credential, now);
    const controller = new AbortController();
    const timer = setTimeout(() => {
      controller.abort();
    }, this.#wires.connectTimeoutMs);
    timer.unref();
    const entry: Entry = {
      identity,
      target,
      openedAt: now,
      usedAt: now,
      ...(copy === undefined ? {} : { copy }),
      opening: using(copy, target, (own) => this.#open(own, this.#wires, controller.signal)).then(
        (opened) => {
          clearTimeout(timer);
          if (!opened.ok) {
            copy?.credential.secret.wipe();
            return controller.signal.aborted ? err(failureOf('timeout', 'no')) : opened;
          }
          entry.opened = withCopyOf(entry, opened.value);
          return ok(entry.opened);
        },
      ),
    };
    this.#sweepLater();
    return entry;
  }

  async #bury(entry: Entry): Promise<void> {
    const opened = await entry.opening;
    if (!opened.ok) return;
    await opened.value.close(entry.target, AbortSignal.timeout(goodbyeMs)).catch(() => undefined);
    entry.copy?.credential.secret.wipe();
  }
}

/** The default clock. Its timers do not keep the process alive. */
const processClock: Clock = {
  now: () => Date.now(),
  after: (delayMs, then) => {
    const timer = setTimeout(then, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/**
 * The session as callers get it: everything it sends uses the entry's copy. So a message after the caller has left,
 * such as a cancel, is not sent with a wiped secret.
 */
function withCopyOf(entry: Entry, session: SellerSession): SellerSession {
  return {
    get isDead() {
      return session.isDead;
    },
    call: (target, call, signal) => using(entry.copy, target, (own) => session.call(own, call, signal)),
    listTools: (target, signal) => using(entry.copy, target, (own) => session.listTools(own, signal)),
    lane: () => session.lane(),
    close: (target, signal) => using(entry.copy, target, (own) => session.close(own, signal)),
  };
}

/** Runs `work` with the copy instead of the target's credential. The copy is not wiped before `work` has ended. */
async function using<T>(
  copy: CredentialCopy | undefined,
  target: SellerTarget,
  work: (target: SellerTarget) => Promise<T>,
): Promise<T> {
  if (copy === undefined) return work(target);
  copy.uses += 1;
  try {
    return await work({ ...target, credential: copy.credential });
  } finally {
    copy.uses -= 1;
  }
}

function copyOf(credential: NonNullable<SellerTarget['credential']>, since: Instant): CredentialCopy {
  const secret = credential.secret.use((bytes) => new Secret(Buffer.from(bytes)));
  return { credential: { ...credential, secret }, since, uses: 0 };
}

/**
 * Callers with and without a credential may use one connection: neither closes the other's session. A session that was
 * opened with one principal's signature is used by no other principal.
 */
function placeOf({ organizationId, connectionId, credential, signer, sessionOf = '' }: SellerTarget): string {
  return `${organizationId}/${connectionId}/${credential?.id ?? ''}/${signer?.principalId ?? ''}/${sessionOf}`;
}

function identityOf({ agentUrl, credential, protocol }: SellerTarget): string {
  const version = credential === undefined ? '' : `${credential.id}@${credential.version}`;
  return `${protocol} ${agentUrl} ${version}`;
}

/** `undefined` if the signal fires first. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const left = (): void => {
      resolve(undefined);
    };
    signal.addEventListener('abort', left, { once: true });
    promise.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', left);
    });
  });
}
