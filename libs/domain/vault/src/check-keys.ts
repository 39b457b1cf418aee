import { Buffer } from 'node:buffer';
import { createHash, timingSafeEqual } from 'node:crypto';
import { err, ok, type Result, type Secret } from '@switchyard/values';
import type { KeyManagement, KmsFailure } from './key-management.js';

/** A data key that only the right master key unwraps, stored beside the data sealed under that master key. */
export interface KeyCheck {
  readonly keyId: string;
  /** The wrapped data key, base64. */
  readonly wrapped: string;
  /** SHA-256 of the data key, base64. */
  readonly digest: string;
}

const context = { v: '1', purpose: 'key-check' };

/** A new check value, for a database that has none. */
export async function makeKeyCheck(keys: KeyManagement): Promise<Result<KeyCheck, KmsFailure>> {
  const made = await keys.generateDataKey(context);
  if (!made.ok) return made;
  const { keyId, wrapped, plaintext } = made.value;
  const digest = digestOf(plaintext).toString('base64');
  plaintext.wipe();
  return ok({ keyId, wrapped: wrapped.toString('base64'), digest });
}

/**
 * Checks whether these keys unwrap the check value. Returns the value to store from now on: the same one, or one
 * wrapped by the current key where that has changed.
 *
 * Errors: those of the key service; `unknown_key`, `wrong_key` and `invalid_ciphertext` mean that these are other keys.
 */
export async function verifyKeyCheck(
  keys: KeyManagement,
  check: KeyCheck,
): Promise<Result<KeyCheck, KmsFailure>> {
  const key = { keyId: check.keyId, wrapped: Buffer.from(check.wrapped, 'base64'), context };
  const opened = await keys.unwrap(key);
  if (!opened.ok) return opened;
  const digest = digestOf(opened.value);
  opened.value.wipe();
  const expected = Buffer.from(check.digest, 'base64');
  if (expected.length !== digest.length || !timingSafeEqual(expected, digest))
    return err({ code: 'wrong_key', message: 'The check value was made with another key.' });
  if (check.keyId === keys.currentKeyId()) return ok(check);
  const moved = await keys.rewrap(key);
  return moved.ok
    ? ok({ ...check, keyId: moved.value.keyId, wrapped: moved.value.wrapped.toString('base64') })
    : moved;
}

/**
 * Wraps and unwraps a data key in both ways, with the rights that are there now, before anything is moved to these keys.
 */
export async function proveKeys(keys: KeyManagement): Promise<Result<void, KmsFailure>> {
  const made = await keys.generateDataKey(context);
  if (!made.ok) return made;
  const { plaintext, ...first } = made.value;
  try {
    const again = await keys.wrap(plaintext, context);
    if (!again.ok) return again;
    for (const key of [first, again.value]) {
      const opened = await keys.unwrap({ ...key, context });
      if (!opened.ok) return opened;
      const isSame = timingSafeEqual(digestOf(opened.value), digestOf(plaintext));
      opened.value.wipe();
      if (!isSame) return err({ code: 'wrong_key', message: 'The key service returned another data key.' });
    }
    return ok(undefined);
  } finally {
    plaintext.wipe();
  }
}

function digestOf(secret: Secret): Buffer {
  return secret.use((bytes) => createHash('sha256').update(bytes).digest());
}
