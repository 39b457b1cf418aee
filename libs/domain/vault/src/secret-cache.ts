import { Buffer } from 'node:buffer';
import { Secret, type Clock, type Instant } from '@switchyard/values';
import { contextBytes, encryptionContextOf } from './encryption-context.js';
import type { CredentialIdentity } from './sealed-credential.js';

/** How long an opened secret may stay in memory, in milliseconds. */
const secretLifetimeMs = 60_000;

interface Entry {
  readonly secret: Secret;
  readonly credentialId: string;
  readonly expiresAt: Instant;
}

/**
 * Opened secrets, so that not every call needs the key service. Limited in number and age, and wiped when dropped. The
 * key is the whole context: a row that was moved to another tenant or seller is not found here and fails to open. `put`
 * and `get` copy, so wiping one copy does not change another.
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

  /** Wipes all entries and stores nothing afterwards, also for a lease that is still running. */
  close(): void {
    this.#capacity = 0;
    this.clear();
  }

  /** All entries have the same lifetime, so they expire in insertion order. */
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
