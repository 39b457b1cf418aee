import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createEgress } from '@switchyard/egress';
import { fastify } from 'fastify';
import { must } from '@switchyard/values';
import { creativeFiles } from '../main/creative-files.js';
import { readConfiguration } from '../main/settings/read-configuration.js';
import { startBucket } from '../main/testkit/bucket.js';
import type { HttpContext } from '../platform/http/http-context.js';
import { CreativeFilesController } from './creative-files.controller.js';
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
    const read = await folder.open(key, name);
    expect(read).toMatchObject({ bytes: page.length, type: 'text/html; charset=utf-8' });
    expect(read && (await buffer(read.content))).toEqual(page);
    expect(must(await call('list_creative_files', 'two'))).toEqual({ files: [] });
    expect(must(await call('list_creative_files', 'one'))).toMatchObject({ files: [{ name, bytes: 22 }] });
    expect((await call('remove_creative_file', 'two', { params: { name } })).ok).toBe(false);
    expect((await call('remove_creative_file', 'one', { params: { name } })).ok).toBe(true);
    expect(await folder.open(key, name)).toBeUndefined();
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

  it('are sent in pieces to whoever has the address, at the rate of its address', async () => {
    const { url } = must(await call('upload_creative_file', 'sent', { bytes: page })) as Stored;
    const waits = [undefined, undefined, { retryAfter: 7, limit: 1, windowSeconds: 1 }];
    const controller = new CreativeFilesController(folder, {
      rates: { take: () => waits.shift(), giveBack: () => undefined },
      addressOf: () => '192.0.2.1',
    } as unknown as HttpContext);
    const server = fastify();
    server.get<{ Params: Stored & { key: string } }>('/creative-files/:key/:name', (request, reply) =>
      controller.file(request.params.key, request.params.name, request, reply),
    );
    const at = (await server.listen({ port: 0, host: '127.0.0.1' })) + new URL(url).pathname;
    const sent = await fetch(at);
    expect([sent.status, Buffer.from(await sent.arrayBuffer())]).toEqual([200, page]);
    expect(sent.headers.get('content-length')).toBe(String(page.length));
    expect(sent.headers.get('x-content-type-options')).toBe('nosniff');
    expect((await fetch(`${at.slice(0, -5)}.png`)).status).toBe(404);
    const refused = await fetch(at);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '7']);
    await server.close();
  });

  it('are found by no name that leads out of their folder', async () => {
    for (const name of ['../../etc/passwd', '..%2fsecret.png', 'a.png', `${'A'.repeat(24)}.exe`, '.png'])
      expect([
        await folder.open(folder.keyOf('one'), name),
        (await call('remove_creative_file', 'one', { params: { name } })).ok,
      ]).toEqual([undefined, false]);
    expect(await folder.open('../one', `${'A'.repeat(24)}.png`)).toBeUndefined();
  });
});

describe('files of creatives in a bucket', () => {
  const closers: (() => Promise<unknown>)[] = [];
  afterAll(() => Promise.all(closers.map((close) => close())));
  const open = async (keyId = 'AKIDSPEC') => {
    const bucket = await startBucket('AKIDSPEC');
    const egress = createEgress({ allowLoopback: true });
    closers.push(
      () => egress.close(),
      () => bucket.close(),
    );
    const { settings } = must(
      readConfiguration({
        SWITCHYARD_CREATIVE_FOLDER: 's3://creatives/agency',
        SWITCHYARD_BUCKET_ENDPOINT: bucket.url,
        SWITCHYARD_BUCKET_KEY_ID: keyId,
        SWITCHYARD_BUCKET_SECRET: 'hunter2',
      }),
    );
    return { bucket, files: must(creativeFiles(settings, root, egress)) };
  };

  it('are stored, read, listed over its pages and removed as in a folder, each organization below a path of its own', async () => {
    const { bucket, files } = await open();
    const kept = [];
    for (const text of ['<html>1', '<html>2', '<html>3'])
      kept.push(await files.put('one', Buffer.from(text), 'html'));
    const other = await files.put('two', page, 'html');
    const [first, ...rest] = kept.map(({ name }) => name);
    expect(bucket.objects[0]?.path).toBe(`/creatives/agency/${files.keyOf('one')}/${first}`);
    const read = await files.open(files.keyOf('one'), first ?? '');
    expect(read).toMatchObject({ bytes: 7, type: 'text/html; charset=utf-8' });
    expect(read && (await buffer(read.content))).toEqual(Buffer.from('<html>1'));
    expect(new Set((await files.list('one')).map(({ name }) => name))).toEqual(new Set([first, ...rest]));
    expect([await files.remove('two', first ?? ''), await files.remove('one', first ?? '')]).toEqual([
      false,
      true,
    ]);
    expect(await files.open(files.keyOf('one'), first ?? '')).toBeUndefined();
    expect(await files.open('../two', other.name)).toBeUndefined();
    await files.removeAll('one');
    expect([await files.list('one'), (await files.list('two')).length]).toEqual([[], 1]);
  });

  it('fail with what the bucket says, and never with its secret', async () => {
    const { files } = await open('ANOTHER');
    const failure = await files.put('one', page, 'html').catch(String);
    expect(failure).toContain('403, SignatureDoesNotMatch');
    expect(failure).not.toContain('hunter2');
  });
});
