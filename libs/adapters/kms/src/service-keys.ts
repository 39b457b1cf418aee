import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import type { DataKey, EncryptionContext, KeyManagement, KmsFailure, WrappedKey } from '@switchyard/vault';
import { err, ok, Secret, type Result } from '@switchyard/values';
import type { KeyProvider, ProviderKind } from './key-provider.js';

export type Wrapped = WrappedKey & { readonly context: EncryptionContext };

/** What a key service does with 32 bytes under one of its keys. */
export interface KeyService {
  readonly kind: ProviderKind;
  /** As people call it. */
  readonly name: string;
  owns(keyId: string): boolean;
  seal(keyId: string, plaintext: Buffer, context: EncryptionContext): Promise<Result<Buffer, KmsFailure>>;
  open(key: Wrapped): Promise<Result<Buffer, KmsFailure>>;
  /** Seals again under `keyId` inside of the service; absent: it is opened and sealed here. */
  reseal?(keyId: string, key: Wrapped): Promise<Result<Buffer, KmsFailure>>;
}

/**
 * Key management over a service that encrypts: data keys are made here, and sealed there. A stored key id is used only if
 * the settings name it, so a writer of the database cannot make us use a foreign key.
 */
export class ServiceKeys implements KeyManagement, KeyProvider {
  readonly kind: ProviderKind;
  readonly #service: KeyService;
  readonly #keyId: string;
  readonly #allowed: ReadonlySet<string>;

  constructor(service: KeyService, keyId: string, allowed: readonly string[] = []) {
    this.kind = service.kind;
    this.#service = service;
    this.#keyId = keyId;
    this.#allowed = new Set([keyId, ...allowed]);
  }

  currentKeyId(): string {
    return this.#keyId;
  }

  owns(keyId: string): boolean {
    return this.#service.owns(keyId);
  }

  at(keyId: string): KeyManagement | undefined {
    return this.#allowed.has(keyId) ? new ServiceKeys(this.#service, keyId, [...this.#allowed]) : undefined;
  }

  async generateDataKey(context: EncryptionContext): Promise<Result<DataKey, KmsFailure>> {
    const plaintext = new Secret(randomBytes(32));
    const wrapped = await this.wrap(plaintext, context);
    if (wrapped.ok) return ok({ ...wrapped.value, plaintext });
    plaintext.wipe();
    return wrapped;
  }

  async wrap(plaintext: Secret, context: EncryptionContext): Promise<Result<WrappedKey, KmsFailure>> {
    // Copied, because the secret is not to be held while we wait.
    const bytes = plaintext.use((secret) => Buffer.from(secret));
    const sealed = await this.#service.seal(this.#keyId, bytes, context);
    bytes.fill(0);
    return sealed.ok ? ok({ keyId: this.#keyId, wrapped: sealed.value }) : sealed;
  }

  async unwrap(key: Wrapped): Promise<Result<Secret, KmsFailure>> {
    if (!this.#allowed.has(key.keyId)) return err(this.#notAllowed(key.keyId));
    const opened = await this.#service.open(key);
    if (!opened.ok) return opened;
    if (opened.value.length === 32) return ok(new Secret(opened.value));
    opened.value.fill(0);
    return err({ code: 'unavailable', message: `${this.#service.name} answered without a data key.` });
  }

  async rewrap(key: Wrapped): Promise<Result<WrappedKey, KmsFailure>> {
    if (!this.#allowed.has(key.keyId)) return err(this.#notAllowed(key.keyId));
    if (this.#service.reseal !== undefined && key.keyId === this.#keyId) {
      const sealed = await this.#service.reseal(this.#keyId, key);
      return sealed.ok ? ok({ keyId: this.#keyId, wrapped: sealed.value }) : sealed;
    }
    const plaintext = await this.unwrap(key);
    if (!plaintext.ok) return plaintext;
    try {
      return await this.wrap(plaintext.value, key.context);
    } finally {
      plaintext.value.wipe();
    }
  }

  close(): void {
    // Every request has a connection of its own.
  }

  #notAllowed(keyId: string): KmsFailure {
    return {
      code: 'unknown_key',
      message: `The key ${keyId} is neither SWITCHYARD_KMS_KEY_ID nor one of SWITCHYARD_KMS_KEY_IDS.`,
    };
  }
}

const codes: Readonly<Record<number, KmsFailure['code']>> = {
  400: 'invalid_ciphertext',
  401: 'denied',
  403: 'denied',
  404: 'unknown_key',
  429: 'throttled',
};

/** A refusal of a service. Its own text is left out: it may quote what was sent. */
export function refusalOf(service: string, operation: string, status: number): KmsFailure {
  const said = status === 0 ? 'no answer' : `HTTP ${status}`;
  return {
    code: codes[status] ?? 'unavailable',
    message: `${service} refused or failed ${operation} (${said}).`,
  };
}

export const changed: KmsFailure = {
  code: 'invalid_ciphertext',
  message: 'The wrapped key or its context was changed.',
};
