import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { must } from '@switchyard/values';
import { LocalKeyring } from './local-keyring.js';

const context = { organization: 'o', credential: 'c' };

describe('LocalKeyring', () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'switchyard-keyring-'));
    path = join(folder, 'data', 'keyring.json');
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function opened(): Promise<LocalKeyring> {
    return must(await LocalKeyring.open(path));
  }

  it('is created on first start, readable by its owner alone, and leaves no draft behind', async () => {
    await opened();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'data'))).mode & 0o777).toBe(0o700);
    expect(await readdir(join(folder, 'data'))).toEqual(['keyring.json']);
  });

  it('is the same keyring after a restart', async () => {
    const key = must(await (await opened()).generateDataKey(context));
    const again = await (await opened()).unwrap({ ...key, context });
    expect(again.ok && again.value.use((bytes) => bytes.toString('hex'))).toBe(
      key.plaintext.use((bytes) => bytes.toString('hex')),
    );
  });

  it('is one keyring when many processes start at once', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, opened));
    expect(new Set(all.map((keys) => keys.currentKeyId())).size).toBe(1);
    expect(await readdir(join(folder, 'data'))).toEqual(['keyring.json']);
  });

  it.each([0o640, 0o604, 0o660, 0o644])('is refused when others can reach it (mode %o)', async (mode) => {
    await opened();
    await chmod(path, mode);
    const again = await LocalKeyring.open(path);
    expect(again).toMatchObject({ ok: false, error: { code: 'keyring_exposed' } });
  });

  it.each([
    ['nothing', () => ''],
    ['half of it', (text: string) => text.slice(0, text.length / 2)],
    ['another format', (text: string) => text.replace('switchyard-keyring-1', 'switchyard-keyring-9')],
    ['a short key', (text: string) => text.replace(/"key": "...../, '"key": "')],
    [
      'a current key that is not in it',
      (text: string) => text.replace(/"current": "local:./, '"current": "local:x'),
    ],
  ])('is refused, and never overwritten, when the file holds %s', async (_, damage) => {
    await opened();
    const damaged = damage(await readFile(path, 'utf8'));
    await writeFile(path, damaged);
    const again = await LocalKeyring.open(path);
    expect(again).toMatchObject({ ok: false, error: { code: 'keyring_malformed' } });
    expect(await readFile(path, 'utf8')).toBe(damaged);
  });

  it('wraps with an added key and still unwraps older data', async () => {
    const keys = await opened();
    const old = await keys.generateDataKey(context);
    const added = await keys.addKey();
    const fresh = await keys.generateDataKey(context);
    if (!old.ok || !added.ok || !fresh.ok) throw new Error('refused');
    expect(fresh.value.keyId).toBe(added.value);
    expect(fresh.value.keyId).not.toBe(old.value.keyId);
    expect((await keys.unwrap({ ...old.value, context })).ok).toBe(true);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('finds a key that another process added since', async () => {
    const here = await opened();
    const there = await opened();
    await there.addKey();
    const key = must(await there.generateDataKey(context));
    expect((await here.unwrap({ ...key, context })).ok).toBe(true);
  });

  it('loses no key when two processes add one at the same time', async () => {
    const keys = await Promise.all([opened(), opened(), opened()]);
    const added = await Promise.all(keys.map((key) => key.addKey()));
    const made = added.flatMap((one) => (one.ok ? [one.value] : []));
    expect(made.length).toBeGreaterThan(0);
    for (const one of added) if (!one.ok) expect(one.error.code).toBe('keyring_busy');
    const text = await readFile(path, 'utf8');
    for (const id of made) expect(text).toContain(id);
  });

  it('refuses a wrapped key that is labelled with another key of the ring', async () => {
    const keys = await opened();
    const key = await keys.generateDataKey(context);
    const added = await keys.addKey();
    if (!key.ok || !added.ok) throw new Error('refused');
    const answer = await keys.unwrap({ keyId: added.value, wrapped: key.value.wrapped, context });
    expect(answer).toMatchObject({ ok: false, error: { code: 'invalid_ciphertext' } });
  });
});
