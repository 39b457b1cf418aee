import { Buffer } from 'node:buffer';
import type { SellerTarget, TransportFailure } from '@switchyard/sellers';
import { err, ok, Secret, type Result } from '@switchyard/values';
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
  /** With a copy of the secret that is the entry's own: what it was opened with is wiped when its caller is done. */
  readonly target: SellerTarget;
  readonly opening: Promise<Result<SellerSession, TransportFailure>>;
  /** Set once it stands, so that a warm call waits for nothing. */
  opened?: SellerSession;
}

const goodbyeMs = 1_000;

/**
 * Warm sessions, one per (organization, connection, credential version) and address. The first caller opens it and
 * all others wait for the same opening; whoever gives up waiting gives up alone. An entry's copy of its secret, needed
 * to open the session and to say goodbye, is wiped when the session ends.
 */
export class SessionPool {
  readonly #entries = new Map<string, Entry>();
  readonly #open: OpenSession;
  readonly #wires: Wires;

  constructor(open: OpenSession, wires: Wires) {
    this.#open = open;
    this.#wires = wires;
  }

  async session(target: SellerTarget, signal: AbortSignal): Promise<Result<SellerSession, TransportFailure>> {
    // Whoever has left has taken the secret back: a session opened with what is left of it would serve nobody.
    if (signal.aborted) return err(failureOf('aborted', 'no'));
    const place = placeOf(target);
    const identity = identityOf(target);
    let entry = this.#entries.get(place);
    if (entry?.identity !== identity || entry.opened?.isDead === true) {
      // Another version of the credential, another address, or forgotten by the seller: it serves nobody any more.
      if (entry !== undefined) void this.#bury(entry);
      entry = this.#opened(identity, target);
      this.#entries.set(place, entry);
    }
    if (entry.opened !== undefined) return ok(entry.opened);
    const opened = await unlessAborted(entry.opening, signal);
    if (opened === undefined) return err(failureOf('aborted', 'no'));
    if (!opened.ok && this.#entries.get(place) === entry) this.#entries.delete(place);
    return opened;
  }

  async forget(connectionId: string): Promise<void> {
    const gone = [...this.#entries].filter(([, entry]) => entry.target.connectionId === connectionId);
    for (const [place] of gone) this.#entries.delete(place);
    await Promise.all(gone.map(([, entry]) => this.#bury(entry)));
  }

  async close(): Promise<void> {
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    await Promise.all(entries.map((entry) => this.#bury(entry)));
  }

  /** Opening has a time of its own: a caller in a hurry must not spoil it for the next one. */
  #opened(identity: string, given: SellerTarget): Entry {
    const target = withOwnSecret(given);
    const controller = new AbortController();
    const timer = setTimeout(() => {
      controller.abort();
    }, this.#wires.connectTimeoutMs);
    timer.unref();
    const entry: Entry = {
      identity,
      target,
      opening: this.#open(target, this.#wires, controller.signal).then((opened) => {
        clearTimeout(timer);
        if (!opened.ok) {
          target.credential?.secret.wipe();
          return controller.signal.aborted ? err(failureOf('timeout', 'no')) : opened;
        }
        entry.opened = withCredential(opened.value, target.credential);
        return ok(entry.opened);
      }),
    };
    return entry;
  }

  async #bury(entry: Entry): Promise<void> {
    const opened = await entry.opening;
    if (!opened.ok) return;
    await opened.value.close(entry.target, AbortSignal.timeout(goodbyeMs)).catch(() => undefined);
    entry.target.credential?.secret.wipe();
  }
}

/**
 * The session as callers get it: whatever it sends carries the entry's copy. What a call still has to say after its
 * caller has left, that it was canceled for one, is not said with a secret that was taken back.
 */
function withCredential(session: SellerSession, credential: SellerTarget['credential']): SellerSession {
  const own = (target: SellerTarget): SellerTarget =>
    credential === undefined ? target : { ...target, credential };
  return {
    get isDead() {
      return session.isDead;
    },
    call: (target, call, signal) => session.call(own(target), call, signal),
    listTools: (target, signal) => session.listTools(own(target), signal),
    lane: () => session.lane(),
    close: (target, signal) => session.close(own(target), signal),
  };
}

function withOwnSecret(target: SellerTarget): SellerTarget {
  const { credential } = target;
  if (credential === undefined) return target;
  const secret = credential.secret.use((bytes) => new Secret(Buffer.from(bytes)));
  return { ...target, credential: { ...credential, secret } };
}

/**
 * Callers with and without a credential may ask over one connection: neither puts the other's session out. A session
 * that one principal's signature opened is used by nobody else.
 */
function placeOf({ organizationId, connectionId, credential, signer, sessionOf = '' }: SellerTarget): string {
  return `${organizationId}/${connectionId}/${credential?.id ?? ''}/${signer?.principalId ?? ''}/${sessionOf}`;
}

function identityOf({ agentUrl, credential, protocol }: SellerTarget): string {
  const version = credential === undefined ? '' : `${credential.id}@${credential.version}`;
  return `${protocol} ${agentUrl} ${version}`;
}

/** `undefined` when the signal fires first. */
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
