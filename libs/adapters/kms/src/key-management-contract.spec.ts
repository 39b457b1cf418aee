import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  keyManagementContract,
  memoryKeyManagement,
  startKmsDouble,
  type KmsDouble,
} from '@switchyard/testing';
import type { KeyManagement } from '@switchyard/vault';
import { must } from '@switchyard/values';
import { AwsKms } from './aws-kms.js';
import { LocalKeyring } from './local-keyring.js';

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'not-a-real-one' };

async function awsOver(double: KmsDouble): Promise<AwsKms> {
  return must(
    await AwsKms.open(double.keyArn, {
      endpoint: double.endpoint,
      region: 'local',
      credentials,
    }),
  );
}

describe('the local keyring', () => {
  let folder: string;
  let keys: LocalKeyring;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'switchyard-keyring-'));
    const opened = must(await LocalKeyring.open(join(folder, 'keyring.json')));
    keys = opened;
  });
  afterAll(() => rm(folder, { recursive: true }));

  it.each(keyManagementContract)('$guarantee', async ({ check }) => {
    await expect(check(keys)).resolves.toBeUndefined();
  });
});

describe('AWS KMS, the real client over the wire', () => {
  let double: KmsDouble;
  let keys: AwsKms;
  beforeAll(async () => {
    double = await startKmsDouble();
    keys = await awsOver(double);
  });
  afterAll(async () => {
    keys.close();
    await double.close();
  });

  it.each(keyManagementContract)('$guarantee', async ({ check }) => {
    await expect(check(keys)).resolves.toBeUndefined();
  });
});

describe('the fake in memory', () => {
  const keys: KeyManagement = memoryKeyManagement();
  it.each(keyManagementContract)('$guarantee', async ({ check }) => {
    await expect(check(keys)).resolves.toBeUndefined();
  });
});

describe('the contract itself', () => {
  it('catches a key service that ignores the encryption context, only by those clauses', async () => {
    const double = await startKmsDouble({ ignoreContext: true });
    const keys = await awsOver(double);
    const broken: string[] = [];
    for (const { guarantee, check } of keyManagementContract) {
      await check(keys).catch(() => broken.push(guarantee));
    }
    keys.close();
    await double.close();
    expect(broken).toEqual([
      'a context with any one member changed, missing or added is refused',
      'a rewrap under another context is refused',
      'a data key that exists is wrapped under the current key and its own context',
      'a rewrap keeps the data key and its context, under the current key',
    ]);
  });
});
