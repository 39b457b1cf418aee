import type { Buffer } from 'node:buffer';

const shown = '[secret]';

/**
 * A secret in memory. Printing, serialising and inspecting it show `[secret]`; the bytes are reached only through
 * `use`, so a search for `.use(` finds every place where a secret is read.
 */
export class Secret {
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  use<T>(read: (bytes: Buffer) => T): T {
    return read(this.#bytes);
  }

  /** The secret as UTF-8 text. For transports whose libraries accept only strings. */
  useText<T>(read: (text: string) => T): T {
    return read(this.#bytes.toString('utf8'));
  }

  /** Overwrites the bytes. Afterwards the secret reads as zeroes. */
  wipe(): void {
    this.#bytes.fill(0);
  }

  toString(): string {
    return shown;
  }

  toJSON(): string {
    return shown;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return shown;
  }
}
