import { Buffer } from 'node:buffer';
import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto';
import {
  contextBytes,
  type EncryptionContext,
  type KeyManagement,
  type KmsFailureCode,
} from '@switchyard/vault';
import { err, ok, Secret, type Result } from '@switchyard/values';

export interface MemoryKeyManagement extends KeyManagement {
  /** Adds a key and makes it the current one. */
  addKey(): string;
  /** From now on the key is unknown. */
  removeKey(keyId: string): void;
  /** From now on every call fails with this code; `undefined` ends this. */
  failWith(code: KmsFailureCode | undefined): void;
  /** Number of unwrapped data keys. */
  readonly unwraps: number;
}

/** A key service in memory. It passes the same contract suite as the real ones. */
export function memoryKeyManagement(): MemoryKeyManagement {
  const keys = new Map<string, Buffer>();
  let current = '';
  let failure: KmsFailureCode | undefined;
  let unwraps = 0;
  const addKey = (): string => {
    current = `memory:${randomUUID()}`;
    keys.set(current, randomBytes(32));
    return current;
  };
  addKey();
  const refuse = (code: KmsFailureCode) => err({ code, message: `the key service in memory says ${code}` });
  const aad = (keyId: string, context: EncryptionContext): Buffer =>
    Buffer.concat([Buffer.from(keyId), contextBytes(context)]);

  const wrap = (plaintext: Buffer, context: EncryptionContext) => {
    const key = keys.get(current);
    if (key === undefined) return refuse('unknown_key');
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(aad(current, context));
    const sealed = Buffer.concat([cipher.update(plaintext), cipher.final()]);
    return ok({ keyId: current, wrapped: Buffer.concat([nonce, cipher.getAuthTag(), sealed]) });
  };
  const open = (
    keyId: string,
    wrapped: Buffer,
    context: EncryptionContext,
  ): Result<Buffer, KmsFailureCode> => {
    const key = keys.get(keyId);
    if (key === undefined) return err('unknown_key');
    try {
      const options = { authTagLength: 16 };
      const decipher = createDecipheriv('aes-256-gcm', key, wrapped.subarray(0, 12), options);
      decipher.setAAD(aad(keyId, context)).setAuthTag(wrapped.subarray(12, 28));
      return ok(Buffer.concat([decipher.update(wrapped.subarray(28)), decipher.final()]));
    } catch {
      return err('invalid_ciphertext');
    }
  };

  return {
    addKey,
    removeKey: (keyId) => void keys.delete(keyId),
    failWith: (code) => void (failure = code),
    get unwraps() {
      return unwraps;
    },
    currentKeyId: () => current,
    generateDataKey(context) {
      if (failure !== undefined) return Promise.resolve(refuse(failure));
      const plaintext = randomBytes(32);
      const wrapped = wrap(plaintext, context);
      return Promise.resolve(
        wrapped.ok ? ok({ ...wrapped.value, plaintext: new Secret(plaintext) }) : wrapped,
      );
    },
    wrap(plaintext, context) {
      if (failure !== undefined) return Promise.resolve(refuse(failure));
      return Promise.resolve(plaintext.use((bytes) => wrap(bytes, context)));
    },
    unwrap({ keyId, wrapped, context }) {
      if (failure !== undefined) return Promise.resolve(refuse(failure));
      unwraps += 1;
      const opened = open(keyId, wrapped, context);
      return Promise.resolve(opened.ok ? ok(new Secret(opened.value)) : refuse(opened.error));
    },
    rewrap({ keyId, wrapped, context }) {
      if (failure !== undefined) return Promise.resolve(refuse(failure));
      const opened = open(keyId, wrapped, context);
      return Promise.resolve(opened.ok ? wrap(opened.value, context) : refuse(opened.error));
    },
  };
}
