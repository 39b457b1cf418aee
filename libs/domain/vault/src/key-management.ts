import type { Buffer } from 'node:buffer';
import type { Result, Secret } from '@switchyard/values';
import type { EncryptionContext } from './encryption-context.js';

/**
 * - `denied`: the key service refused our access.
 * - `throttled`: too many requests; a later attempt may succeed.
 * - `unavailable`: no usable answer (network, timeout, internal error, key not enabled).
 * - `wrong_key`: the wrapped key, or the answer, belongs to another key than the one named.
 * - `invalid_ciphertext`: the wrapped key or its context was changed.
 * - `unknown_key`: the key service has no such key.
 */
export type KmsFailureCode =
  | 'denied'
  | 'throttled'
  | 'unavailable'
  | 'wrong_key'
  | 'invalid_ciphertext'
  | 'unknown_key';

export interface KmsFailure {
  readonly code: KmsFailureCode;
  /** Text for people. Contains neither key material nor values of the context. */
  readonly message: string;
}

/** A data key encrypted under a key of the key service. */
export interface WrappedKey {
  readonly keyId: string;
  readonly wrapped: Buffer;
}

export interface DataKey extends WrappedKey {
  /** 32 bytes. The receiver must wipe it. */
  readonly plaintext: Secret;
}

/** The port that `adapters/kms` implements: wraps data keys under a key that never leaves the key service. */
export interface KeyManagement {
  /** The key that new data keys are wrapped under. */
  currentKeyId(): string;
  generateDataKey(context: EncryptionContext): Promise<Result<DataKey, KmsFailure>>;
  /** Wraps a data key that exists, 32 bytes, under the current key. The caller still owns it. */
  wrap(plaintext: Secret, context: EncryptionContext): Promise<Result<WrappedKey, KmsFailure>>;
  /** Returns the data key, 32 bytes. The receiver must wipe it. */
  unwrap(key: WrappedKey & { readonly context: EncryptionContext }): Promise<Result<Secret, KmsFailure>>;
  /** Wraps the same data key under the current key. */
  rewrap(key: WrappedKey & { readonly context: EncryptionContext }): Promise<Result<WrappedKey, KmsFailure>>;
}

/** The key management of an installation: several keys open, of several services, and one of them wraps. */
export interface MasterKeys extends KeyManagement {
  /** The key that the settings name; the one that wraps until another one is chosen. */
  readonly configuredKeyId: string;
  /** Key management that wraps under this key; undefined if this process cannot use such a key. */
  at(keyId: string): KeyManagement | undefined;
  /** Reads again which key wraps. */
  refresh(): Promise<Result<string, KmsFailure>>;
}
