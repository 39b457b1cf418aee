import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { keyManagementContract, startKmsDouble, type KmsDouble } from '@switchyard/testing';
import { must } from '@switchyard/values';
import { AwsKms } from './aws-kms.js';
import { KeyChain, type ChosenKey } from './key-chain.js';
import { addKeyToFile } from './keyring-file.js';
import { LocalKeyring } from './local-keyring.js';

const context = { organization: 'o', credential: 'c' };
const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'not-a-real-one' };

describe('a chain of the local keyring and AWS KMS', () => {
  let folder: string;
  let path: string;
  let double: KmsDouble;
  let local: LocalKeyring;
  let aws: AwsKms;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'switchyard-chain-'));
    path = join(folder, 'keyring.json');
    local = must(await LocalKeyring.open(path));
    double = await startKmsDouble();
    const config = { endpoint: double.endpoint, region: 'local', credentials, maxAttempts: 1 };
    aws = must(await AwsKms.open(double.keyArn, config));
  });
  afterAll(async () => {
    aws.close();
    await double.close();
    await rm(folder, { recursive: true });
  });

  const chain = (configured: string, chosen?: ChosenKey): KeyChain =>
    new KeyChain([aws, local], configured, chosen);
  const choosing = (keyId: string) => () => Promise.resolve(keyId);

  describe.each([
    ['the keyring', () => local.currentKeyId()],
    ['AWS KMS', () => double.keyArn],
  ])('that wraps with %s', (_, keyId) => {
    it.each(keyManagementContract)('$guarantee', async ({ check }) => {
      await expect(check(chain(keyId()))).resolves.toBeUndefined();
    });
  });

  it('opens what either wrapped, and moves it from one to the other and back', async () => {
    const fromFile = must(await chain(local.currentKeyId()).generateDataKey(context));
    const moved = must(await chain(double.keyArn).rewrap({ ...fromFile, context }));
    expect(moved.keyId).toBe(double.keyArn);
    const back = must(await chain(local.currentKeyId()).rewrap({ ...moved, context }));
    expect(back.keyId).toBe(local.currentKeyId());
    for (const key of [fromFile, moved, back]) {
      const opened = must(await chain(double.keyArn).unwrap({ ...key, context }));
      expect(opened.use((bytes) => bytes.toString('hex'))).toBe(
        fromFile.plaintext.use((bytes) => bytes.toString('hex')),
      );
    }
  });

  it('wraps with the chosen key whatever the settings name, as soon as it is chosen', async () => {
    const row: { chosen?: string } = {};
    const keys = chain(double.keyArn, () => Promise.resolve(row.chosen));
    expect(must(await keys.generateDataKey(context)).keyId).toBe(double.keyArn);
    row.chosen = local.currentKeyId();
    expect(must(await keys.generateDataKey(context)).keyId).toBe(row.chosen);
    expect(keys.currentKeyId()).toBe(row.chosen);
  });

  it('wraps with a key of the keyring that another process added without making it current', async () => {
    const added = must(await addKeyToFile(path, false));
    const newest = [...added.keys.keys()].at(-1) ?? '';
    expect(added.current).not.toBe(newest);
    const key = must(await chain(local.currentKeyId(), choosing(newest)).generateDataKey(context));
    expect(key.keyId).toBe(newest);
  });

  it('wraps nothing if it lacks the chosen key or cannot read which it is, and opens all the same', async () => {
    const before = must(await chain(double.keyArn).generateDataKey(context));
    const lacking = chain(double.keyArn, choosing('arn:aws:kms:local:000000000000:key/other'));
    const blind = chain(double.keyArn, () => Promise.reject(new Error('the database is away')));
    const codes = [];
    for (const keys of [lacking, blind]) {
      const answers = [
        await keys.generateDataKey(context),
        await keys.wrap(before.plaintext, context),
        await keys.rewrap({ ...before, context }),
      ];
      codes.push(answers.map((answer) => (answer.ok ? 'wrapped' : answer.error.code)));
      expect((await keys.unwrap({ ...before, context })).ok).toBe(true);
    }
    expect(codes).toEqual([
      ['unknown_key', 'unknown_key', 'unknown_key'],
      ['unavailable', 'unavailable', 'unavailable'],
    ]);
  });
});
