import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { backup } from './backup.js';
import { restore } from './restore.js';

const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-backup-'));
afterAll(() => rmSync(dataDir, { recursive: true }));
const refusal = (message: string) => ({ ok: false, error: { message: expect.stringContaining(message) } });

it('no backup is made inside the folder of the database, which the next one would copy', async () => {
  for (const to of ['postgres', 'postgres/pg/backups'])
    expect(await backup({ env: {}, dataDir, to: join(dataDir, to), version: '0' })).toMatchObject(
      refusal('would be a part of the next one'),
    );
});

it('a folder that cannot be made is said in words', async () => {
  writeFileSync(join(dataDir, 'file'), '');
  expect(await backup({ env: {}, dataDir, to: join(dataDir, 'file/backups'), version: '0' })).toMatchObject(
    refusal('The backup cannot be written: ENOTDIR'),
  );
});

it('a restore asks for its keyring before it places anything', async () => {
  const asked = { env: {}, folder: join(dataDir, 'no backup'), dataDir: join(dataDir, 'new') };
  expect(await restore({ ...asked, keyring: join(dataDir, 'no keyring') })).toMatchObject(
    refusal('There is no keyring at'),
  );
});
