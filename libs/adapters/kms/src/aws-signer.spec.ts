import { Buffer } from 'node:buffer';
import { verify } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startKmsDouble, type KmsDouble } from '@switchyard/testing';
import { must } from '@switchyard/values';
import { AwsSigner } from './aws-signer.js';

let double: KmsDouble;
let signer: AwsSigner;

beforeAll(async () => {
  double = await startKmsDouble();
  signer = new AwsSigner({
    endpoint: double.endpoint,
    region: 'local',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
  });
});

afterAll(async () => {
  signer.close();
  await double.close();
});

const base = Buffer.from('"@method": POST');

describe('a signing key in AWS KMS', () => {
  it('signs in the wire format, sixty-four bytes that its own public half verifies', async () => {
    const arn = double.addSigningKey();
    const found = must(await signer.publicKey(arn));
    expect(found.keyId).toBe(arn);
    for (let round = 0; round < 20; round += 1) {
      const signed = must(await signer.sign(arn, base));
      expect(signed).toHaveLength(64);
      const key = { key: found.publicKey, dsaEncoding: 'ieee-p1363' } as const;
      expect(verify('sha256', base, key, signed)).toBe(true);
    }
  });

  it('is known by its ARN, under any name it was requested by', async () => {
    const arn = double.addSigningKey();
    const found = await signer.publicKey(arn.split('/')[1] ?? '');
    expect(found.ok && found.value.keyId).toBe(arn);
  });

  it.each([
    ['a key on another curve', () => double.addSigningKey('P-384'), 'not a signing key on P-256'],
    ['a key that encrypts', () => double.keyArn, 'InvalidKeyUsage'],
    ['a key that is not there', () => 'arn:aws:kms:local:000000000000:key/none', 'NotFound'],
  ])('is not %s', async (_what, arn, why) => {
    const found = await signer.publicKey(arn());
    expect(found).toMatchObject({ ok: false, error: { code: 'key_unavailable' } });
    expect(found.ok ? '' : found.error.message).toContain(why);
  });

  it('fails as a value when it is disabled, when the service fails, or when it answers for another key', async () => {
    const arn = double.addSigningKey();
    double.answerForAnotherKey(true);
    expect(await signer.sign(arn, base)).toMatchObject({ ok: false, error: { code: 'key_unavailable' } });
    double.answerForAnotherKey(false);
    double.failNext('KMSInternalException');
    expect(await signer.sign(arn, base)).toMatchObject({ ok: false, error: { code: 'key_unavailable' } });
    expect(await signer.sign(arn, Buffer.alloc(5000))).toMatchObject({ ok: false });
    double.disableKey(arn);
    expect(await signer.sign(arn, base)).toMatchObject({ ok: false, error: { code: 'key_unavailable' } });
  });
});
