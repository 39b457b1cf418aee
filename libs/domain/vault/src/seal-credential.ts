import { Buffer } from 'node:buffer';
import { createCipheriv } from 'node:crypto';
import type { Instant, Secret } from '@switchyard/values';
import { deriveKeys } from './derive-keys.js';
import { contextBytes, encryptionContextOf } from './encryption-context.js';
import type { DataKey } from './key-management.js';
import { sealingScheme, type CredentialIdentity, type SealedCredential } from './sealed-credential.js';

interface SealInput {
  readonly identity: CredentialIdentity;
  readonly secret: Secret;
  /** A new data key, used for this message only. The caller wipes it. */
  readonly dataKey: DataKey;
  /** 12 random bytes. */
  readonly nonce: Buffer;
  readonly at: Instant;
}

/**
 * Seals a secret with AES-256-GCM under its own data key, with the whole context as additional authenticated data.
 * Throws a `RangeError` when the data key or the nonce has the wrong size, which external input cannot cause.
 */
export function sealCredential({ identity, secret, dataKey, nonce, at }: SealInput): SealedCredential {
  if (nonce.length !== 12) throw new RangeError('A nonce has 12 bytes.');
  if (dataKey.plaintext.use((bytes) => bytes.length) !== 32) throw new RangeError('A data key has 32 bytes.');
  const aad = contextBytes(encryptionContextOf(identity));
  const keys = deriveKeys(dataKey.plaintext, aad, sealingScheme);
  try {
    const cipher = createCipheriv('aes-256-gcm', keys.encryption, nonce, { authTagLength: 16 });
    cipher.setAAD(aad);
    const ciphertext = secret.use((bytes) => Buffer.concat([cipher.update(bytes), cipher.final()]));
    return {
      ...identity,
      scheme: sealingScheme,
      kmsKeyId: dataKey.keyId,
      wrappedKey: dataKey.wrapped,
      nonce,
      ciphertext,
      tag: cipher.getAuthTag(),
      commitment: keys.commitment,
      createdAt: at,
    };
  } finally {
    keys.wipe();
  }
}
