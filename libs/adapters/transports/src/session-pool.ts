import type { SellerTarget, TransportFailure } from '@switchyard/sellers';
import { err, ok, type Result } from '@switchyard/values';
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
  readonly target: SellerTarget;
  readonly opening: Promise<Result<SellerSession, TransportFailure>>;
  /** Set once it stands, so that a warm call waits for nothing. */
  opened?: SellerSession;
}

const goodbyeMs = 1_000;

/**
 * Warm sessions, one per (organization, connection, credential version) and address. The first caller opens it and
 * all others wait for the same opening; whoever gives up waiting gives up alone.
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
  #opened(identity: string, target: SellerTarget): Entry {
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
        if (opened.ok) entry.opened = opened.value;
        return !opened.ok && controller.signal.aborted ? err(failureOf('timeout', 'no')) : opened;
      }),
    };
    return entry;
  }

  async #bury(entry: Entry): Promise<void> {
    const opened = await entry.opening;
    if (!opened.ok) return;
    await opened.value.close(entry.target, AbortSignal.timeout(goodbyeMs)).catch(() => undefined);
  }
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
