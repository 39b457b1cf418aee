import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { modulesLoadedBy, startKmsDouble, type KmsDouble } from '@switchyard/testing';
import { openKeyManagement } from './open-key-management.js';

describe('openKeyManagement', () => {
  const before = { ...process.env };
  let folder: string;
  let double: KmsDouble;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'switchyard-kms-'));
    double = await startKmsDouble();
    Object.assign(process.env, {
      AWS_ENDPOINT_URL_KMS: double.endpoint,
      AWS_REGION: 'local',
      AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'not-a-real-one',
      AWS_MAX_ATTEMPTS: '1',
    });
  });
  afterEach(async () => {
    process.env = { ...before };
    await double.close();
    await rm(folder, { recursive: true });
  });

  it('uses a local keyring in the data folder when no key service is configured', async () => {
    for (const env of [{}, { SWITCHYARD_KMS_KEY_ID: '' }, { SWITCHYARD_KMS_KEY_ID: ' ' }]) {
      const opened = await openKeyManagement(env, folder);
      expect(opened).toMatchObject({ ok: true, value: { kind: 'local' } });
    }
    expect(await readdir(folder)).toEqual(['keyring.json']);
  });

  it('opens one keyring for all processes with the same file', async () => {
    const env = { SWITCHYARD_KEYRING_FILE: join(folder, 'shared', 'keyring.json') };
    const opened = await Promise.all(
      ['one', 'two'].map((data) => openKeyManagement(env, join(folder, data))),
    );
    const ids = opened.map((one) => one.ok && one.value.keys.currentKeyId());
    expect(new Set(ids).size).toBe(1);
    expect(await readdir(folder)).toEqual(['shared']);
  });

  it('loads nothing of AWS if no AWS key is named', () => {
    const run = `import { AwsSigner, openKeyManagement } from '@switchyard/kms';
      new AwsSigner().close();
      await openKeyManagement({}, ${JSON.stringify(folder)});`;
    const loaded = modulesLoadedBy(['--input-type=module', '--eval', run], import.meta.dirname);
    expect(loaded.filter((url) => url.endsWith('/kms/dist/local-keyring.js'))).toHaveLength(1);
    expect(loaded.filter((url) => url.includes('aws'))).toEqual([
      expect.stringMatching(/\/kms\/dist\/aws-signer\.js$/),
    ]);
  });

  it("uses AWS KMS through the SDK's own configuration when a key is named", async () => {
    const opened = await openKeyManagement({ SWITCHYARD_KMS_KEY_ID: double.keyArn }, folder);
    expect(opened).toMatchObject({ ok: true, value: { kind: 'aws' } });
    expect(opened.ok && opened.value.keys.currentKeyId()).toBe(double.keyArn);
    expect(double.calls).toEqual([{ operation: 'DescribeKey' }]);
    if (opened.ok) opened.value.keys.close();
  });

  it('fails, and creates no local keyring, when the configured key service refuses or cannot be reached', async () => {
    double.failNext('AccessDeniedException');
    const denied = await openKeyManagement({ SWITCHYARD_KMS_KEY_ID: double.keyArn }, folder);
    expect(denied).toMatchObject({ ok: false, error: { code: 'denied' } });
    await double.close();
    const gone = await openKeyManagement({ SWITCHYARD_KMS_KEY_ID: double.keyArn }, folder);
    expect(gone).toMatchObject({ ok: false, error: { code: 'unavailable' } });
    expect(await readdir(folder)).toEqual([]);
  });
});
