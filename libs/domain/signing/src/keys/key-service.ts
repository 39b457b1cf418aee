import type { Buffer } from 'node:buffer';
import type { KeyObject } from 'node:crypto';
import type { Result } from '@switchyard/values';
import type { SigningFailure } from './sign-message.js';

/**
 * The port that `adapters/kms` implements: ECDSA P-256 keys that never leave a key service
 * (docs/protocol/signing.md#algorithms). It is asked for a key by its ARN, and for nothing that nobody named.
 */
export interface KeyService {
  /** The key's full name, an alias resolved, and its public half. Fails when it is no enabled P-256 signing key. */
  publicKey(
    keyId: string,
  ): Promise<Result<{ readonly keyId: string; readonly publicKey: KeyObject }, SigningFailure>>;
  /** A signature over the bytes, r and s side by side, 64 bytes. */
  sign(keyId: string, bytes: Buffer): Promise<Result<Buffer, SigningFailure>>;
}
