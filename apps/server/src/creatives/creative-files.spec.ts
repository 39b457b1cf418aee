import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { must } from '@switchyard/values';
import { creativeFolder } from './creative-folder.js';
import { creativeFileRoutes } from './creative-files.routes.js';

const root = mkdtempSync(join(tmpdir(), 'switchyard-creatives-'));
const folder = creativeFolder(root);
const deps = {
  creativeFolder: folder,
  creativeLimits: { bytes: 100, files: 2 },
  baseUrl: () => 'https://switchyard.example',
};
const page = Buffer.from('<html><p>Ad</p></html>');
afterAll(() => rmSync(root, { recursive: true, force: true }));

type Asked = Parameters<(typeof creativeFileRoutes)[number]['handle']>[1];
const call = (id: string, organizationId: string, more: object = {}) => {
  const row = creativeFileRoutes.find((one) => one.id === id);
  // Of the whole organization: an operator.
  const permissions = { creatives: ['read', 'write'], sellers: ['read', 'write'] };
  const caller = { kind: 'principal', organizationId, permissions } as unknown as Asked['caller'];
  if (row === undefined) throw new Error(`There is no route ${id}.`);
  return row.handle(deps, { caller, params: {}, query: undefined, body: undefined, ...more });
};
interface Stored {
  readonly name: string;
  readonly url: string;
}

describe('files of creatives', () => {
  it('are read by whoever has the address, are listed and removed by their own organization, and by no other', async () => {
    const { name, url } = must(await call('upload_creative_file', 'one', { bytes: page })) as Stored;
    const [, , , , key = ''] = url.split('/');
    expect(await folder.read(key, name)).toEqual({ bytes: page, type: 'text/html; charset=utf-8' });
    expect(must(await call('list_creative_files', 'two'))).toEqual({ files: [] });
    expect(must(await call('list_creative_files', 'one'))).toMatchObject({ files: [{ name, bytes: 22 }] });
    expect((await call('remove_creative_file', 'two', { params: { name } })).ok).toBe(false);
    expect((await call('remove_creative_file', 'one', { params: { name } })).ok).toBe(true);
    expect(await folder.read(key, name)).toBeUndefined();
  });

  it('are refused above the size, above the number, and of another kind, and nothing is stored then', async () => {
    const refused = async (bytes: Buffer): Promise<string> => {
      const answer = await call('upload_creative_file', 'full', { bytes });
      return answer.ok ? 'stored' : answer.error.message;
    };
    expect(await refused(Buffer.alloc(101, '<html>'))).toBe('A file has 1 to 100 bytes; 101 came.');
    expect(await refused(Buffer.alloc(0))).toBe('A file has 1 to 100 bytes; 0 came.');
    expect(await refused(Buffer.from('MZ'))).toMatch(/^This is none of PNG/);
    expect(await folder.list('full')).toEqual([]);
    expect([await refused(page), await refused(page)]).toEqual(['stored', 'stored']);
    expect(await refused(page)).toBe('The organization has 2 files, which is the most.');
  });

  it('are found by no name that leads out of their folder', async () => {
    for (const name of ['../../etc/passwd', '..%2fsecret.png', 'a.png', `${'A'.repeat(24)}.exe`, '.png'])
      expect([
        await folder.read(folder.keyOf('one'), name),
        (await call('remove_creative_file', 'one', { params: { name } })).ok,
      ]).toEqual([undefined, false]);
    expect(await folder.read('../one', `${'A'.repeat(24)}.png`)).toBeUndefined();
  });
});
