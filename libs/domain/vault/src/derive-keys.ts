import { Buffer } from 'node:buffer';
import { createHash, hkdfSync } from 'node:crypto';
import type { Secret } from '@switchyard/values';

/** The two derived keys, 32 bytes each. `wipe` the encryption key after use; the commitment is not secret. */
export interface DerivedKeys {
  readonly encryption: Buffer;
  readonly commitment: Buffer;
  wipe(): void;
}

/**
 * Derives the message key and the commitment from a data key (HKDF-SHA-256, RFC 5869).
 *
 * GCM does not commit to its key: one ciphertext can be made that opens under two keys. The commitment is bound to the
 * data key, the scheme and the context, so a record has one data key only, and a record with another context is
 * detected before decryption.
 */
export function deriveKeys(dataKey: Secret, context: Buffer, scheme: string): DerivedKeys {
  const info = Buffer.concat([
    Buffer.from('credential', 'utf8'),
    createHash('sha256').update(context).digest(),
  ]);
  const salt = Buffer.from(scheme, 'utf8');
  const both = dataKey.use((bytes) => Buffer.from(hkdfSync('sha256', bytes, salt, info, 64)));
  const commitment = Buffer.from(both.subarray(32));
  return { encryption: both.subarray(0, 32), commitment, wipe: () => void both.fill(0) };
}
