import type { Buffer } from 'node:buffer';
import type { Result, Secret } from '@switchyard/values';
import type { EncryptionContext } from './encryption-context.js';

/**
 * - `denied`: the key service knows us and says no.
 * - `throttled`: too many requests; later may work.
 * - `unavailable`: no usable answer (network, timeout, internal error, key not enabled).
 * - `wrong_key`: the wrapped key belongs to another key than the one named, or the answer did.
 * - `invalid_ciphertext`: the wrapped key or its context was changed.
 * - `unknown_key`: the key service has no such key.
 */
export type KmsFailureCode =
  'denied' | 'throttled' | 'unavailable' | 'wrong_key' | 'invalid_ciphertext' | 'unknown_key';

export interface KmsFailure {
  readonly code: KmsFailureCode;
  /** For people. Holds neither key material nor the context's values. */
  readonly message: string;
}

/** A data key encrypted under a key of the key service. */
export interface WrappedKey {
  readonly keyId: string;
  readonly wrapped: Buffer;
}

export interface DataKey extends WrappedKey {
  /** 32 bytes. Whoever receives it wipes it. */
  readonly plaintext: Secret;
}

/** The port that `adapters/kms` implements: wraps data keys under a key that never leaves the key service. */
export interface KeyManagement {
  /** The key that new data keys are wrapped under. */
  currentKeyId(): string;
  generateDataKey(context: EncryptionContext): Promise<Result<DataKey, KmsFailure>>;
  /** The data key, 32 bytes; whoever receives it wipes it. */
  unwrap(key: WrappedKey & { readonly context: EncryptionContext }): Promise<Result<Secret, KmsFailure>>;
  /** The same data key under the current key. */
  rewrap(key: WrappedKey & { readonly context: EncryptionContext }): Promise<Result<WrappedKey, KmsFailure>>;
}
