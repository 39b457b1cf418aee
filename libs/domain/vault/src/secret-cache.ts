import { Buffer } from 'node:buffer';
import { Secret, type Clock, type Instant } from '@switchyard/values';
import { contextBytes, encryptionContextOf } from './encryption-context.js';
import type { CredentialIdentity } from './sealed-credential.js';

/** How long an opened secret may stay in memory, in milliseconds. */
export const secretLifetimeMs = 60_000;

interface Entry {
  readonly secret: Secret;
  readonly credentialId: string;
  readonly expiresAt: Instant;
}

/**
 * Opened secrets, so that the key service is not asked on every call. Bounded in number and in age, and wiped when
 * dropped. Entries are kept under their whole context: a row that was moved to another tenant or seller finds
 * nothing here and fails to open. Copies go in and copies come out, so that wiping one never blanks another.
 */
export class SecretCache {
  readonly #entries = new Map<string, Entry>();
  readonly #clock: Clock;
  #capacity: number;
  #cancelSweep: (() => void) | undefined;

  constructor(clock: Clock, capacity: number) {
    this.#clock = clock;
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(identity: CredentialIdentity): Secret | undefined {
    const entry = this.#entries.get(keyOf(identity));
    if (entry === undefined || entry.expiresAt <= this.#clock.now()) return undefined;
    return copyOf(entry.secret);
  }

  put(identity: CredentialIdentity, secret: Secret): void {
    if (this.#capacity === 0) return;
    const key = keyOf(identity);
    this.#drop(key);
    const expiresAt = this.#clock.now() + secretLifetimeMs;
    this.#entries.set(key, { secret: copyOf(secret), credentialId: identity.credentialId, expiresAt });
    const oldest = this.#entries.keys().next().value;
    if (this.#entries.size > this.#capacity && oldest !== undefined) this.#drop(oldest);
    this.#cancelSweep ??= this.#clock.after(secretLifetimeMs, () => this.#sweep());
  }

  forget(credentialId: string): void {
    for (const [key, entry] of this.#entries) if (entry.credentialId === credentialId) this.#drop(key);
  }

  clear(): void {
    this.#cancelSweep?.();
    this.#cancelSweep = undefined;
    for (const key of [...this.#entries.keys()]) this.#drop(key);
  }

  /** Wipes what is kept, and keeps nothing any more: a lease that was under way leaves nothing behind. */
  close(): void {
    this.#capacity = 0;
    this.clear();
  }

  /** Entries live equally long, so they expire in the order in which they came. */
  #sweep(): void {
    this.#cancelSweep = undefined;
    const now = this.#clock.now();
    for (const [key, entry] of this.#entries) {
      if (entry.expiresAt > now) {
        this.#cancelSweep = this.#clock.after(entry.expiresAt - now, () => this.#sweep());
        return;
      }
      this.#drop(key);
    }
  }

  #drop(key: string): void {
    this.#entries.get(key)?.secret.wipe();
    this.#entries.delete(key);
  }
}

function keyOf(identity: CredentialIdentity): string {
  return contextBytes(encryptionContextOf(identity)).toString('utf8');
}

function copyOf(secret: Secret): Secret {
  return secret.use((bytes) => new Secret(Buffer.from(bytes)));
}
