import { Buffer } from 'node:buffer';
import { createHash, hkdfSync } from 'node:crypto';
import type { Secret } from '@switchyard/values';

/** Both halves are 32 bytes. `wipe` the encryption key when done; the commitment is no secret. */
export interface DerivedKeys {
  readonly encryption: Buffer;
  readonly commitment: Buffer;
  wipe(): void;
}

/**
 * Derives the message key and the commitment from a data key (HKDF-SHA-256, RFC 5869).
 *
 * GCM alone does not commit to its key: a ciphertext can be made that opens under two. The commitment is bound to
 * the data key, the scheme and the context, so a record has one data key only, and a record under another context
 * is recognised before anything is decrypted.
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
