import { strict as assert } from 'node:assert';
import { Buffer } from 'node:buffer';
import type { EncryptionContext, KeyManagement, KmsFailure, WrappedKey } from '@switchyard/vault';
import { must, type Result, type Secret } from '@switchyard/values';

interface KeyManagementClause {
  /** The guarantee, as the name of a test. */
  readonly guarantee: string;
  /** Throws if the guarantee does not hold. */
  readonly check: (kms: KeyManagement) => Promise<void>;
}

const context: EncryptionContext = {
  v: '1',
  organization: '0b1c6d0e-0000-4000-8000-000000000001',
  seller: 'acme',
  connection: '0b1c6d0e-0000-4000-8000-000000000002',
  credential: '0b1c6d0e-0000-4000-8000-000000000003',
  version: '1',
  kind: 'bearer',
};

/** The contract of every key management of the vault. A list, so that a test can prove that it detects a bad one. */
export const keyManagementContract: readonly KeyManagementClause[] = [
  {
    guarantee: 'a data key has 32 bytes, is never the same twice and is unwrapped under its own context',
    async check(kms) {
      const key = must(await kms.generateDataKey(context));
      const two = must(await kms.generateDataKey(context));
      assert.equal(key.keyId, kms.currentKeyId());
      assert.equal(textOf(key.plaintext).length, 64);
      assert.notEqual(textOf(key.plaintext), textOf(two.plaintext));
      assert.equal(textOf(must(await kms.unwrap({ ...key, context }))), textOf(key.plaintext));
    },
  },
  {
    guarantee: 'the wrapped key does not show the data key',
    async check(kms) {
      const { plaintext, wrapped } = must(await kms.generateDataKey(context));
      assert.equal(wrapped.includes(plaintext.use((bytes) => Buffer.from(bytes))), false);
    },
  },
  {
    guarantee: 'a context with any one member changed, missing or added is refused',
    async check(kms) {
      const key = must(await kms.generateDataKey(context));
      for (const other of otherContexts()) {
        const failure = mustFail(await kms.unwrap({ ...key, context: other }));
        assert.equal(failure.code, 'invalid_ciphertext', JSON.stringify(other));
      }
    },
  },
  {
    guarantee: 'a rewrap under another context is refused',
    async check(kms) {
      const key = must(await kms.generateDataKey(context));
      const failure = mustFail(
        await kms.rewrap({ ...key, context: { ...context, organization: 'another' } }),
      );
      assert.equal(failure.code, 'invalid_ciphertext');
    },
  },
  {
    guarantee: 'the order of the context does not matter',
    async check(kms) {
      const key = must(await kms.generateDataKey(context));
      const reversed = Object.fromEntries(Object.entries(context).reverse());
      assert.equal(textOf(must(await kms.unwrap({ ...key, context: reversed }))), textOf(key.plaintext));
    },
  },
  {
    guarantee: 'a wrapped key with any byte changed, cut off or emptied is refused',
    async check(kms) {
      const key = must(await kms.generateDataKey(context));
      for (let at = 0; at < key.wrapped.length; at += 1) {
        mustFail(await kms.unwrap({ ...key, wrapped: flipped(key.wrapped, at), context }));
      }
      mustFail(await kms.unwrap({ ...key, wrapped: key.wrapped.subarray(0, -1), context }));
      mustFail(await kms.unwrap({ ...key, wrapped: Buffer.alloc(0), context }));
    },
  },
  {
    guarantee: 'an unknown key is named as such',
    async check(kms) {
      const key = must(await kms.generateDataKey(context));
      const keyId = key.keyId.replace(/[0-9a-f]{8}$/, '00000000');
      assert.equal(mustFail(await kms.unwrap({ ...key, keyId, context })).code, 'unknown_key');
    },
  },
  {
    guarantee: 'a data key that exists is wrapped under the current key and its own context',
    async check(kms) {
      const key = must(await kms.generateDataKey(context));
      const again = must(await kms.wrap(key.plaintext, context));
      assert.equal(again.keyId, kms.currentKeyId());
      assert.notDeepEqual(again.wrapped, key.wrapped);
      assert.equal(textOf(must(await kms.unwrap({ ...again, context }))), textOf(key.plaintext));
      mustFail(await kms.unwrap({ ...again, context: { ...context, version: '2' } }));
    },
  },
  {
    guarantee: 'a rewrap keeps the data key and its context, under the current key',
    async check(kms) {
      const key = must(await kms.generateDataKey(context));
      const again = must(await kms.rewrap({ ...key, context }));
      assert.equal(again.keyId, kms.currentKeyId());
      assert.notDeepEqual(again.wrapped, key.wrapped);
      assert.equal(textOf(must(await kms.unwrap({ ...again, context }))), textOf(key.plaintext));
      mustFail(await kms.unwrap({ ...again, context: { ...context, version: '2' } }));
    },
  },
  {
    guarantee: 'wiping a returned key does not affect the next answer',
    async check(kms) {
      const key = must(await kms.generateDataKey(context));
      const before = textOf(key.plaintext);
      key.plaintext.wipe();
      must(await kms.unwrap({ ...key, context })).wipe();
      assert.equal(textOf(must(await kms.unwrap({ ...key, context }))), before);
    },
  },
];

function otherContexts(): EncryptionContext[] {
  const names = Object.keys(context);
  const changed = names.map((name) => ({ ...context, [name]: `${context[name] ?? ''}x` }));
  const missing = names.map((name) =>
    Object.fromEntries(Object.entries(context).filter(([other]) => other !== name)),
  );
  return [...changed, ...missing, { ...context, added: 'x' }, {}];
}

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(at) ^ 1, at);
  return copy;
}

function mustFail(result: Result<Secret | WrappedKey, KmsFailure>): KmsFailure {
  if (!result.ok) return result.error;
  throw new assert.AssertionError({ message: 'this was accepted, and must be refused' });
}

const textOf = (secret: Secret): string => secret.use((bytes) => bytes.toString('hex'));
