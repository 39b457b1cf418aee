import type {
  DataKey,
  EncryptionContext,
  KeyManagement,
  KmsFailure,
  MasterKeys,
  WrappedKey,
} from '@switchyard/vault';
import { err, ok, type Result, type Secret } from '@switchyard/values';
import type { KeyProvider, ProviderKind } from './key-provider.js';

type Wrapped = WrappedKey & { readonly context: EncryptionContext };

/** Reads which key wraps for the whole installation; undefined before one was chosen. Rejects if it cannot be read. */
export type ChosenKey = () => Promise<string | undefined>;

/**
 * Several providers as one key management. Each data key is opened by the provider that its key id names. All processes
 * wrap under one key: the chosen one. A process that lacks it wraps nothing, so that during a move no process brings back
 * the key before.
 */
export class KeyChain implements MasterKeys {
  readonly configuredKeyId: string;
  readonly #providers: readonly KeyProvider[];
  readonly #chosen: ChosenKey;
  #current: string;

  constructor(
    providers: readonly KeyProvider[],
    configuredKeyId: string,
    chosen: ChosenKey = () => Promise.resolve(undefined),
  ) {
    this.#providers = providers;
    this.configuredKeyId = configuredKeyId;
    this.#current = configuredKeyId;
    this.#chosen = chosen;
  }

  /** As of the last time that it was read. */
  currentKeyId(): string {
    return this.#current;
  }

  kindOf(keyId: string): ProviderKind | undefined {
    return this.#providers.find((provider) => provider.owns(keyId))?.kind;
  }

  at(keyId: string): KeyManagement | undefined {
    return this.#providers.find((provider) => provider.owns(keyId))?.at(keyId);
  }

  async refresh(): Promise<Result<string, KmsFailure>> {
    try {
      this.#current = (await this.#chosen()) ?? this.configuredKeyId;
      return ok(this.#current);
    } catch {
      return err({ code: 'unavailable', message: 'The database did not say which master key wraps.' });
    }
  }

  async generateDataKey(context: EncryptionContext): Promise<Result<DataKey, KmsFailure>> {
    const keys = await this.#wrapping();
    return keys.ok ? keys.value.generateDataKey(context) : keys;
  }

  async wrap(plaintext: Secret, context: EncryptionContext): Promise<Result<WrappedKey, KmsFailure>> {
    const keys = await this.#wrapping();
    return keys.ok ? keys.value.wrap(plaintext, context) : keys;
  }

  unwrap(key: Wrapped): Promise<Result<Secret, KmsFailure>> {
    const keys = this.at(key.keyId);
    return keys === undefined ? Promise.resolve(err(notHere(key.keyId))) : keys.unwrap(key);
  }

  /** Within one provider the data key does not leave it; between two it is unwrapped here and wrapped again. */
  async rewrap(key: Wrapped): Promise<Result<WrappedKey, KmsFailure>> {
    const to = await this.#wrapping();
    if (!to.ok) return to;
    if (this.kindOf(key.keyId) === this.kindOf(this.#current)) return to.value.rewrap(key);
    const plaintext = await this.unwrap(key);
    if (!plaintext.ok) return plaintext;
    try {
      return await to.value.wrap(plaintext.value, key.context);
    } finally {
      plaintext.value.wipe();
    }
  }

  close(): void {
    for (const provider of this.#providers) provider.close();
  }

  async #wrapping(): Promise<Result<KeyManagement, KmsFailure>> {
    const chosen = await this.refresh();
    if (!chosen.ok) return chosen;
    const keys = this.at(chosen.value);
    return keys === undefined ? err(notHere(chosen.value)) : ok(keys);
  }
}

function notHere(keyId: string): KmsFailure {
  return {
    code: 'unknown_key',
    message: `This process has no master key ${keyId}. Name it in SWITCHYARD_KMS_KEY_IDS, or copy the keyring here.`,
  };
}
