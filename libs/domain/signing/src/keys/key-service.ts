import type { Buffer } from 'node:buffer';
import type { KeyObject } from 'node:crypto';
import type { Result } from '@switchyard/values';
import type { SigningFailure } from './sign-message.js';

/**
 * The port that `adapters/kms` implements: ECDSA P-256 keys that never leave a key service
 * (docs/protocol/signing.md#algorithms). Only keys that were named by their ARN are requested.
 */
export interface KeyService {
  /** Returns the key's full name, alias resolved, and its public key. Fails if it is no enabled P-256 signing key. */
  publicKey(
    keyId: string,
  ): Promise<Result<{ readonly keyId: string; readonly publicKey: KeyObject }, SigningFailure>>;
  /** Returns a signature over the bytes: r followed by s, 64 bytes. */
  sign(keyId: string, bytes: Buffer): Promise<Result<Buffer, SigningFailure>>;
}
