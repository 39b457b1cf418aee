import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refusal, sendAnswer, type HttpAnswer } from './http-answer.js';

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Names of files that a build produces: none begins with a dot, and there is one folder. */
const fileName = /^(?:assets\/)?[A-Za-z0-9_][\w.-]*\.(?:js|css|svg|woff2)$/;
const pack = promisify(gzip);

export interface CachedFile {
  readonly bytes: Buffer;
  readonly packed: Buffer;
}

/**
 * Serves the built console under `/console/`. Files of `assets` have a hash of their content in their name and may be
 * cached for ever; every other path is a page, which is the one document. It holds no secret: its data comes through
 * the API, for a signed-in person.
 */
export function serveConsole(fastify: FastifyInstance, folder: string | undefined = consoleFolder()): void {
  const cache = new Map<string, CachedFile>();
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const path = (request.raw.url ?? '').split('?')[0] ?? '';
    const name = path.replace(/^\/console\/?/, '');
    void reply.headers(guards);
    if (folder === undefined || !existsSync(join(folder, 'index.html')))
      return sendPage(reply, 503, notBuilt);
    if (extname(name) !== '' || name.startsWith('assets/'))
      return sendFile(request, reply, { folder, name, cache });
    const nonce = randomBytes(16).toString('base64');
    const page = await readFile(join(folder, 'index.html'), 'utf8');
    void reply.header('content-security-policy', policy(nonce));
    return sendPage(reply, 200, page.replace('__STYLE_NONCE__', nonce));
  };
  fastify.route({ method: 'GET', url: '/console', handler });
  fastify.route({ method: 'GET', url: '/console/*', handler });
}

/** A browser that requests the root of this address is sent to the console; other clients get no answer here. */
export function toConsole({ method, raw, headers }: FastifyRequest): HttpAnswer | undefined {
  const isBrowser = headers.accept?.includes('text/html') === true;
  return method === 'GET' && raw.url === '/' && isBrowser
    ? { status: 302, headers: { location: '/console/' } }
    : undefined;
}

const guards = {
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
} as const;

/** Scripts are our own files; the component library writes styles into the page, with a nonce of each answer. */
function policy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    // Uploaded files of creatives; each comes with a policy of its own that lets it do nothing.
    "media-src 'self'",
    "frame-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function sendPage(reply: FastifyReply, status: number, html: string): void {
  void reply
    .status(status)
    .headers({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
    .send(html);
}

/** Sends a file that a build has put into a folder, compressed for whoever takes that. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    folder,
    name,
    cache,
  }: { readonly folder: string; readonly name: string; readonly cache: Map<string, CachedFile> },
): Promise<void> {
  const file = fileName.test(name) ? (cache.get(name) ?? (await readCachedFile(folder, name))) : undefined;
  if (file === undefined) {
    sendAnswer(
      reply,
      refusal({ code: 'NOT_FOUND', message: 'The console has no file of that name. Load the page again.' }),
    );
    return;
  }
  const isHashed = name.startsWith('assets/');
  if (isHashed) cache.set(name, file);
  const isPacked = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  void reply
    .headers({
      'content-type': types[extname(name)] ?? 'application/octet-stream',
      'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      vary: 'accept-encoding',
      ...(isPacked && { 'content-encoding': 'gzip' }),
    })
    .send(isPacked ? file.packed : file.bytes);
}

async function readCachedFile(folder: string, name: string): Promise<CachedFile | undefined> {
  try {
    const bytes = await readFile(join(folder, name));
    return { bytes, packed: await pack(bytes) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** The folder of the built console. Searches upwards from this file, because it runs from src in tests, and from dist or a bundle otherwise. */
export function consoleFolder(): string | undefined {
  for (
    let folder = dirname(fileURLToPath(import.meta.url));
    dirname(folder) !== folder;
    folder = dirname(folder)
  )
    if (existsSync(join(folder, 'apps/console'))) return join(folder, 'apps/console/dist');
  return undefined;
}

const notBuilt = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>The console is not built</title></head>
<body style="font: 16px/1.5 system-ui, sans-serif; margin: 3rem auto; max-width: 40rem; padding: 0 1rem">
<h1>The console is not built</h1>
<p>Run <code>npm ci &amp;&amp; npm run build</code> in the folder of Switchyard, and load this page again.
The server need not be restarted.</p>
<p>The command line does the same: <code>npx switchyard help</code>.</p>
</body></html>
`;
