import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fastify as createFastify } from 'fastify';
import { serveConsole } from './serve-console.js';

describe('the served console', () => {
  const top = mkdtempSync(join(tmpdir(), 'console-'));
  const folder = join(top, 'dist');
  const server = createFastify();
  const unbuilt = createFastify();
  const port = (of: typeof server): number => (of.server.address() as AddressInfo).port;

  /** As bytes on the wire: `fetch` would mend a path before it is sent. */
  const get = (path: string, of = server, headers: Record<string, string> = {}) =>
    new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((resolve, reject) => {
      request({ host: '127.0.0.1', port: port(of), path, headers, timeout: 10_000 }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      })
        .on('error', reject)
        .end();
    });

  beforeAll(async () => {
    mkdirSync(join(folder, 'assets'), { recursive: true });
    writeFileSync(join(folder, 'index.html'), '<meta name="style-nonce" content="__STYLE_NONCE__">');
    writeFileSync(join(folder, 'theme.js'), '/* theme */');
    writeFileSync(join(folder, 'made-of.txt'), 'a note of the build');
    writeFileSync(join(folder, 'assets/main-1a2b.js'), 'console.log(1)');
    writeFileSync(join(top, 'secret.js'), 'secret');
    writeFileSync(join(top, 'secret.txt'), 'secret');
    serveConsole(server, folder);
    serveConsole(unbuilt, join(top, 'nowhere'));
    await server.listen({ port: 0, host: '127.0.0.1' });
    await unbuilt.listen({ port: 0, host: '127.0.0.1' });
  });
  afterAll(async () => {
    await server.close();
    await unbuilt.close();
    rmSync(top, { recursive: true });
  });

  it('answers every page with the document, under a policy that allows no inline script and one nonce per answer', async () => {
    const pages = await Promise.all(
      ['/console', '/console/', '/console/buys/mb_1?x=1'].map((path) => get(path)),
    );
    const nonces = pages.map(({ status, headers, body }) => {
      expect(status).toBe(200);
      expect(headers['cache-control']).toBe('no-store');
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("script-src 'self';");
      expect(policy).not.toContain('unsafe');
      const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
      expect(body).toContain(`content="${nonce}"`);
      return nonce;
    });
    expect(new Set(nonces).size).toBe(3);
  });

  it('lets a browser cache a file with a hash forever, and revalidate every other', async () => {
    const hashed = await get('/console/assets/main-1a2b.js');
    expect(hashed).toMatchObject({ status: 200, body: 'console.log(1)' });
    expect(hashed.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect((await get('/console/theme.js')).headers['cache-control']).toBe('no-cache');
    const packed = await get('/console/assets/main-1a2b.js', server, { 'accept-encoding': 'gzip' });
    expect(packed.headers['content-encoding']).toBe('gzip');
  });

  it.each([
    '/console/../secret.js',
    '/console/assets/../../secret.js',
    '/console/%2e%2e/secret.js',
    '/console/..%2fsecret.js',
    '/console/assets/..%5c..%5csecret.js',
    '/console/assets/%2e%2e/%2e%2e/secret.txt',
    '/console//../secret.js',
    '/console/made-of.txt',
    '/console/assets/nothing.js',
    '/console/assets/',
  ])('serves only files of the build: %s', async (path) => {
    const { status, body } = await get(path);
    expect(body).not.toContain('secret');
    expect(body).not.toContain('a note');
    expect(status).toBe(404);
  });

  it('says how to build it if it is not built', async () => {
    const { status, body } = await get('/console/', unbuilt);
    expect(status).toBe(503);
    expect(body).toContain('npm run build');
  });
});
