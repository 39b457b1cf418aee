import { Buffer } from 'node:buffer';
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import {
  contextBytes,
  type DataKey,
  type EncryptionContext,
  type KeyManagement,
  type KmsFailure,
  type WrappedKey,
} from '@switchyard/vault';
import { err, ok, Secret, type Result } from '@switchyard/values';
import type { KeyManagementFailure } from './key-management-failure.js';
import type { KeyProvider } from './key-provider.js';
import { addKeyToFile, openKeyringFile, readKeyringFile, type Keyring } from './keyring-file.js';

type Wrapped = WrappedKey & { readonly context: EncryptionContext };

const nonceSize = 12;
const tagSize = 16;
const wrappedSize = 1 + nonceSize + 32 + tagSize;
const layout = 1;

/**
 * Key management without a key service: keys in a local file that only this user can read. It protects a copied
 * database, not a copied machine. It holds several keys: the newest wraps, all unwrap.
 */
export class LocalKeyring implements KeyManagement, KeyProvider {
  readonly kind = 'local';
  readonly #path: string;
  #keyring: Keyring;

  private constructor(path: string, keyring: Keyring) {
    this.#path = path;
    this.#keyring = keyring;
  }

  /**
   * Reads the file at `path`, or makes it with one key. Fails with `keyring_missing` if it is absent and `mayMake` is
   * false, and refuses a file that other users can read.
   */
  static async open(path: string, mayMake = true): Promise<Result<LocalKeyring, KeyManagementFailure>> {
    const keyring = await (mayMake ? openKeyringFile(path) : readKeyringFile(path));
    return keyring.ok ? ok(new LocalKeyring(path, keyring.value)) : keyring;
  }

  currentKeyId(): string {
    return this.#keyring.current;
  }

  owns(keyId: string): boolean {
    return keyId.startsWith('local:');
  }

  /** Wraps under this key of the file, also if another process has added it since. */
  at(keyId: string): KeyManagement {
    return {
      currentKeyId: () => keyId,
      generateDataKey: async (context) => {
        const plaintext = new Secret(randomBytes(32));
        const wrapped = await this.#wrap(keyId, plaintext, context);
        return wrapped.ok ? ok({ ...wrapped.value, plaintext }) : wrapped;
      },
      wrap: (plaintext, context) => this.#wrap(keyId, plaintext, context),
      unwrap: (key) => this.unwrap(key),
      rewrap: async (key) => {
        const plaintext = await this.unwrap(key);
        if (!plaintext.ok) return plaintext;
        try {
          return await this.#wrap(keyId, plaintext.value, key.context);
        } finally {
          plaintext.value.wipe();
        }
      },
    };
  }

  /** Adds a key and makes it the current one. This is the first half of a rotation; the rewrap sweep is the second. */
  async addKey(): Promise<Result<string, KeyManagementFailure>> {
    const added = await addKeyToFile(this.#path, true);
    if (!added.ok) return added;
    this.#keyring = added.value;
    return ok(added.value.current);
  }

  generateDataKey(context: EncryptionContext): Promise<Result<DataKey, KmsFailure>> {
    return this.at(this.currentKeyId()).generateDataKey(context);
  }

  wrap(plaintext: Secret, context: EncryptionContext): Promise<Result<WrappedKey, KmsFailure>> {
    return this.#wrap(this.currentKeyId(), plaintext, context);
  }

  async unwrap({ keyId, wrapped, context }: Wrapped): Promise<Result<Secret, KmsFailure>> {
    const key = await this.#key(keyId);
    if (!key.ok) return key;
    const invalid = err({
      code: 'invalid_ciphertext' as const,
      message: 'The wrapped key or its context was changed.',
    });
    if (wrapped.length !== wrappedSize || wrapped[0] !== layout) return invalid;
    const nonce = wrapped.subarray(1, 1 + nonceSize);
    const sealed = wrapped.subarray(1 + nonceSize, wrappedSize - tagSize);
    return key.value.use((bytes) => {
      const decipher = createDecipheriv('aes-256-gcm', bytes, nonce, { authTagLength: tagSize });
      decipher.setAAD(boundTo(keyId, context));
      decipher.setAuthTag(wrapped.subarray(wrappedSize - tagSize));
      const plaintext = decipher.update(sealed);
      try {
        decipher.final();
        return ok(new Secret(plaintext));
      } catch {
        plaintext.fill(0);
        return invalid;
      }
    });
  }

  rewrap(key: Wrapped): Promise<Result<WrappedKey, KmsFailure>> {
    return this.at(this.currentKeyId()).rewrap(key);
  }

  close(): void {
    for (const key of this.#keyring.keys.values()) key.wipe();
    this.#keyring = { current: this.#keyring.current, keys: new Map() };
  }

  async #wrap(
    keyId: string,
    plaintext: Secret,
    context: EncryptionContext,
  ): Promise<Result<WrappedKey, KmsFailure>> {
    const key = await this.#key(keyId);
    if (!key.ok) return key;
    const nonce = randomBytes(nonceSize);
    const wrapped = key.value.use((bytes) => {
      const cipher = createCipheriv('aes-256-gcm', bytes, nonce, { authTagLength: tagSize });
      cipher.setAAD(boundTo(keyId, context));
      const sealed = plaintext.use((secret) => Buffer.concat([cipher.update(secret), cipher.final()]));
      return Buffer.concat([Buffer.of(layout), nonce, sealed, cipher.getAuthTag()]);
    });
    return ok({ keyId, wrapped });
  }

  /** Another process may have added an unknown key since: the file is read again. */
  async #key(keyId: string): Promise<Result<Secret, KmsFailure>> {
    const known = this.#keyring.keys.get(keyId);
    if (known !== undefined) return ok(known);
    const again = await readKeyringFile(this.#path);
    if (again.ok) this.#keyring = again.value;
    const found = this.#keyring.keys.get(keyId);
    if (found !== undefined) return ok(found);
    return err({ code: 'unknown_key', message: 'The local keyring has no such key.' });
  }
}

/** The key id is authenticated too: a wrapped key under the name of another key is refused. */
function boundTo(keyId: string, context: EncryptionContext): Buffer {
  return Buffer.concat([Buffer.from(`${keyId}\n`, 'utf8'), contextBytes(context)]);
}
