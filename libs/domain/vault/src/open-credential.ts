import type { Buffer } from 'node:buffer';
import { createDecipheriv, timingSafeEqual } from 'node:crypto';
import { err, ok, Secret, type Result } from '@switchyard/values';
import { deriveKeys, type DerivedKeys } from './derive-keys.js';
import { contextBytes, encryptionContextOf } from './encryption-context.js';
import type { KeyManagement } from './key-management.js';
import { sealingScheme, unboundScheme, type SealedCredential } from './sealed-credential.js';
import type { VaultFailure } from './vault-failure.js';

/**
 * Opens a sealed record: checks the scheme, the key service, the commitment, then GCM. A failure reports only which of
 * these refused. The caller owns the secret and must wipe it.
 */
export async function openCredential(
  kms: KeyManagement,
  sealed: SealedCredential,
): Promise<Result<Secret, VaultFailure>> {
  return withDerivedKeys(kms, sealed, (keys, aad) => decrypt(sealed, keys.encryption, aad));
}

/** Checks the context and the data key of a record without opening the secret. */
export async function checkCredential(
  kms: KeyManagement,
  sealed: SealedCredential,
): Promise<Result<void, VaultFailure>> {
  return withDerivedKeys(kms, sealed, () => ok(undefined));
}

async function withDerivedKeys<T>(
  kms: KeyManagement,
  sealed: SealedCredential,
  use: (keys: DerivedKeys, aad: Buffer) => Result<T, VaultFailure>,
): Promise<Result<T, VaultFailure>> {
  if (sealed.scheme !== sealingScheme && sealed.scheme !== unboundScheme) {
    return err({ code: 'unknown_scheme', message: 'The record was sealed in a way that is not known here.' });
  }
  const context = encryptionContextOf(sealed);
  const dataKey = await kms.unwrap({ keyId: sealed.kmsKeyId, wrapped: sealed.wrappedKey, context });
  if (!dataKey.ok) {
    return err({ code: 'key_management', kms: dataKey.error.code, message: dataKey.error.message });
  }
  const aad = contextBytes(context);
  const keys = deriveKeys(dataKey.value, aad, sealed.scheme);
  dataKey.value.wipe();
  try {
    if (!sameBytes(keys.commitment, sealed.commitment)) {
      return err({
        code: 'commitment_mismatch',
        message: 'The data key is not the one that sealed the record.',
      });
    }
    return use(keys, aad);
  } finally {
    keys.wipe();
  }
}

function decrypt(sealed: SealedCredential, key: Buffer, aad: Buffer): Result<Secret, VaultFailure> {
  const tampered = err({ code: 'tampered' as const, message: 'The record is not what was sealed.' });
  if (sealed.nonce.length !== 12 || sealed.tag.length !== 16) return tampered;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.nonce, { authTagLength: 16 });
  decipher.setAAD(aad);
  decipher.setAuthTag(sealed.tag);
  const plaintext = decipher.update(sealed.ciphertext);
  try {
    // GCM is a stream mode: `final` adds no bytes, it only verifies the tag.
    decipher.final();
    return ok(new Secret(plaintext));
  } catch {
    plaintext.fill(0);
    return tampered;
  }
}

function sameBytes(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
