import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { KMSClientConfig } from '@aws-sdk/client-kms';
import { startKmsDouble, type KmsDouble } from '@switchyard/testing';
import { must } from '@switchyard/values';
import { AwsKms } from './aws-kms.js';

const context = { organization: 'o', credential: 'c' };

describe('AwsKms', () => {
  let double: KmsDouble;
  let config: KMSClientConfig;
  let keys: AwsKms;
  beforeAll(async () => {
    double = await startKmsDouble();
    const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'canary-aws-secret' };
    config = { endpoint: double.endpoint, region: 'local', credentials, maxAttempts: 1 };
    keys = await opened(double.keyArn);
  });
  afterAll(async () => {
    keys.close();
    await double.close();
  });

  async function opened(keyId: string, olderKeys: readonly string[] = []): Promise<AwsKms> {
    return must(await AwsKms.open(keyId, config, olderKeys));
  }

  it.each([
    ['AccessDeniedException', 'denied'],
    ['ExpiredTokenException', 'denied'],
    ['ThrottlingException', 'throttled'],
    ['LimitExceededException', 'throttled'],
    ['NotFoundException', 'unknown_key'],
    ['IncorrectKeyException', 'wrong_key'],
    ['InvalidCiphertextException', 'invalid_ciphertext'],
    ['DisabledException', 'unavailable'],
    ['KMSInternalException', 'unavailable'],
    ['SomethingNewException', 'unavailable'],
  ])('answers %s as the value %s, for every operation', async (exception, code) => {
    const key = must(await keys.generateDataKey(context));
    double.failNext(exception, 3);
    const answers = [
      await keys.generateDataKey(context),
      await keys.unwrap({ ...key, context }),
      await keys.rewrap({ ...key, context }),
    ];
    expect(answers.map((answer) => (answer.ok ? 'accepted' : answer.error.code))).toEqual([code, code, code]);
    expect(JSON.stringify(answers)).not.toContain('canary-aws-secret');
  });

  it('refuses an answer from another key than the requested one', async () => {
    const key = must(await keys.generateDataKey(context));
    double.answerForAnotherKey(true);
    const answers = [
      await keys.generateDataKey(context),
      await keys.unwrap({ ...key, context }),
      await keys.rewrap({ ...key, context }),
    ];
    double.answerForAnotherKey(false);
    expect(answers.map((answer) => (answer.ok ? 'accepted' : answer.error.code))).toEqual([
      'wrong_key',
      'wrong_key',
      'wrong_key',
    ]);
  });

  it('refuses a wrapped key that is labelled with another existing key', async () => {
    const key = must(await keys.generateDataKey(context));
    const other = double.addKey();
    const both = await opened(double.keyArn, [other]);
    const answer = await both.unwrap({ keyId: other, wrapped: key.wrapped, context });
    expect(answer).toMatchObject({ ok: false, error: { code: 'wrong_key' } });
  });

  it('uses no key that is not listed, even if it has access and a row of the database names it', async () => {
    const other = double.addKey();
    const theirs = must(await (await opened(other)).generateDataKey(context));
    const before = double.calls.length;
    for (const answer of [
      await keys.unwrap({ ...theirs, context }),
      await keys.rewrap({ ...theirs, context }),
    ])
      expect(answer).toMatchObject({ ok: false, error: { code: 'unknown_key' } });
    expect(double.calls.length).toBe(before);
    const listed = await opened(double.keyArn, [other]);
    expect(await listed.unwrap({ ...theirs, context })).toMatchObject({ ok: true });
  });

  it('moves data keys to another key, after which the first one is not needed', async () => {
    const first = double.addKey();
    const before = must(await (await opened(first)).generateDataKey(context));
    const moved = must(await (await opened(double.keyArn, [first])).rewrap({ ...before, context }));
    double.disableKey(first);
    expect(await keys.unwrap({ ...before, context })).toMatchObject({ ok: false });
    const after = await keys.unwrap({ ...moved, context });
    expect(moved.keyId).toBe(double.keyArn);
    expect(after.ok && after.value.use((bytes) => bytes.toString('hex'))).toBe(
      before.plaintext.use((bytes) => bytes.toString('hex')),
    );
  });

  it('resolves an alias to the ARN behind it, so that stored key ids do not move with the alias', async () => {
    expect((await opened('alias/switchyard')).currentKeyId()).toBe(double.keyArn);
  });

  it('does not open with an unknown or disabled key', async () => {
    const disabled = double.addKey();
    double.disableKey(disabled);
    expect(await AwsKms.open(disabled, config)).toMatchObject({ ok: false, error: { code: 'unavailable' } });
    const unknown = disabled.replace(/.{8}$/, '00000000');
    expect(await AwsKms.open(unknown, config)).toMatchObject({ ok: false, error: { code: 'unknown_key' } });
  });

  it('times out on a key service that accepts requests and never answers', async () => {
    const requestHandler = { requestTimeout: 50, throwOnRequestTimeout: true };
    let impatient = await AwsKms.open(double.keyArn, { ...config, requestHandler });
    // On a machine that is busy, so short a limit ends what the key service would answer.
    while (!impatient.ok) impatient = await AwsKms.open(double.keyArn, { ...config, requestHandler });
    double.hang(true);
    const answer = await impatient.value.generateDataKey(context);
    double.hang(false);
    expect(answer).toMatchObject({ ok: false, error: { code: 'unavailable' } });
  });
});
