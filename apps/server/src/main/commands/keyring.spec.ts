import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { must } from '@switchyard/values';
import { newKeyring } from './keyring.js';

const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-keyring-'));
afterAll(() => rmSync(dataDir, { recursive: true }));

it('makes a keyring that only its owner can read, and replaces none', async () => {
  const env = { SWITCHYARD_LOG_LEVEL: 'silent' };
  const made = must(await newKeyring({ env, dataDir }));
  expect(made.file).toBe(join(dataDir, 'keyring.json'));
  expect(statSync(made.file).mode & 0o777).toBe(0o600);
  const text = readFileSync(made.file, 'utf8');
  expect(text).toContain(made.key_id);
  expect(await newKeyring({ env, dataDir })).toMatchObject({ ok: false, error: { code: 'conflict' } });
  expect(readFileSync(made.file, 'utf8')).toBe(text);
});
