import { Buffer } from 'node:buffer';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type { Egress, EgressRequest } from '@switchyard/sellers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createEgress, type EgressOptions } from './create-egress.js';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const thing of opened.splice(0).reverse()) await thing.close();
});

async function listening(handler: Handler): Promise<{ server: Server; url: string; port: number }> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  opened.push({ close: () => (server.closeAllConnections(), server.close()) });
  return { server, port, url: `http://127.0.0.1:${port}` };
}

function egress(allowLoopback = true, options: EgressOptions = {}): Egress {
  const made = createEgress({ allowLoopback }, options);
  opened.push(made);
  return made;
}

function* megabytes(): Generator<Buffer> {
  for (;;) yield Buffer.alloc(1 << 20);
}

function get(url: string, more: Partial<EgressRequest> = {}): EgressRequest {
  return { method: 'GET', url, maxBytes: 1024, timeoutMs: 5_000, ...more };
}

describe('egress', () => {
  it('sends the given bytes and headers and returns status, headers and body', async () => {
    const { url } = await listening((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        response.setHeader('x-seen', [request.method, request.url, request.headers['x-a']].join(' '));
        response.statusCode = 201;
        response.end(Buffer.concat(chunks));
      });
    });
    const answer = await egress().request(
      get(`${url}/a/./b?q='`, { method: 'POST', headers: { 'x-a': 'b' }, body: Buffer.from('héllo') }),
    );
    expect(answer).toMatchObject({ ok: true, value: { status: 201 } });
    if (!answer.ok) return;
    expect(answer.value.headers['x-seen']).toBe("POST /a/./b?q=' b");
    expect(answer.value.body.toString()).toBe('héllo');
  });

  it('sends the host of the address, with any host header of the caller', async () => {
    const { url, port } = await listening((request, response) => response.end(request.headers.host));
    const answer = await egress().request(get(url, { headers: { Host: 'elsewhere.example' } }));
    expect(answer.ok && answer.value.body.toString()).toBe(`127.0.0.1:${port}`);
  });

  it('refuses a redirect and does not follow it', async () => {
    let hits = 0;
    const { url } = await listening((_request, response) => {
      hits += 1;
      response.writeHead(302, { location: '/there' }).end();
    });
    const answer = await egress().request(get(url));
    expect(answer).toMatchObject({ ok: false, error: { code: 'redirect_refused', delivered: 'maybe' } });
    expect(hits).toBe(1);
  });

  it('refuses loopback and plain http outside the local profile, without a connection', async () => {
    let connections = 0;
    const { server, url, port } = await listening((_request, response) => response.end());
    server.on('connection', () => (connections += 1));
    const client = egress(false);
    expect(await client.request(get(url))).toMatchObject({
      error: { code: 'blocked_scheme', delivered: 'no' },
    });
    expect(await client.request(get(`https://127.0.0.1:${port}`))).toMatchObject({
      error: { code: 'blocked_address', delivered: 'no' },
    });
    expect(connections).toBe(0);
  });

  it('sends requests to one origin in parallel: a hundred that hang do not delay the next', async () => {
    const hung: (() => void)[] = [];
    let allCame = (): void => undefined;
    const haveCome = new Promise<void>((resolve) => (allCame = resolve));
    const { url } = await listening((request, response) => {
      if (request.url !== '/hangs') response.end('here');
      else if (hung.push(() => response.end()) === 100) allCame();
    });
    const client = egress();
    const hanging = Array.from({ length: 100 }, () => client.request(get(`${url}/hangs`)));
    await haveCome;
    expect(await client.request(get(`${url}/next`))).toMatchObject({ ok: true });
    for (const end of hung) end();
    expect((await Promise.all(hanging)).every(({ ok: isOk }) => isOk)).toBe(true);
  });

  it('refuses a name if any of its addresses is denied', async () => {
    const client = egress(true, {
      resolver: () =>
        Promise.resolve([
          { address: '8.8.8.8', family: 4 },
          { address: '10.0.0.1', family: 4 },
        ]),
    });
    expect(await client.request(get('https://mixed.example/'))).toMatchObject({
      error: { code: 'blocked_address', delivered: 'no' },
    });
  });

  it('never allows plain http to a public name, in any profile', async () => {
    const client = egress(true, { resolver: () => Promise.resolve([{ address: '8.8.8.8', family: 4 }]) });
    expect(await client.request(get('http://public.example/'))).toMatchObject({
      error: { code: 'blocked_address', delivered: 'no' },
    });
  });

  it('checks the addresses it connects to: a name that resolves differently the next time is refused', async () => {
    let lookups = 0;
    let connections = 0;
    const { server, port } = await listening((_request, response) => response.end('inside'));
    server.on('connection', () => (connections += 1));
    // Passes when it is registered, and points inside when it is used.
    const resolver = () =>
      Promise.resolve([{ address: lookups++ === 0 ? '8.8.8.8' : '127.0.0.1', family: 4 }]);
    const client = egress(false, { resolver });
    const url = `https://rebinding.example:${port}/`;
    expect(await client.checkUrl(url)).toEqual({ ok: true, value: undefined });
    expect(await client.request(get(url))).toMatchObject({
      error: { code: 'blocked_address', delivered: 'no' },
    });
    expect([lookups, connections]).toEqual([2, 0]);
  });

  it('reaches a loopback name in the local profile, at the address that was resolved', async () => {
    const { port } = await listening((request, response) => response.end(request.headers.host));
    const client = egress(true, { resolver: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]) });
    const answer = await client.request(get(`http://seller.localhost:${port}/`));
    expect(answer.ok && answer.value.body.toString()).toBe(`seller.localhost:${port}`);
  });

  it('ends a late answer, and a slow one', async () => {
    const { url } = await listening((request, response) => {
      if (request.url === '/trickle') response.write('{');
    });
    const client = egress();
    for (const path of ['/hang', '/trickle']) {
      expect(await client.request(get(`${url}${path}`, { timeoutMs: 2_000 }))).toMatchObject({
        error: { code: 'timeout', delivered: 'maybe' },
      });
    }
  });

  it('refuses an answer over the limit, announced or not', async () => {
    const { url } = await listening((request, response) => {
      if (request.url === '/announced') response.setHeader('content-length', 5_000);
      response.write(Buffer.alloc(2_000));
      response.end(Buffer.alloc(3_000));
    });
    const client = egress();
    for (const path of ['/announced', '/chunked']) {
      expect(await client.request(get(`${url}${path}`))).toMatchObject({ error: { code: 'too_large' } });
    }
    expect(await client.request(get(`${url}/chunked`, { maxBytes: 5_000 }))).toMatchObject({ ok: true });
  });

  it('never decodes a compressed answer', async () => {
    const bomb = gzipSync(Buffer.alloc(1_000_000));
    const { url } = await listening((request, response) => {
      response.setHeader('x-asked', String(request.headers['accept-encoding']));
      response.setHeader('content-encoding', 'gzip');
      response.end(bomb);
    });
    const answer = await egress().request(
      get(url, { headers: { 'Accept-Encoding': 'gzip' }, maxBytes: 10_000 }),
    );
    expect(answer).toMatchObject({ error: { code: 'encoding_refused' } });
  });

  it('reports whether the peer can have acted when a call is aborted', async () => {
    let arrived: (() => void) | undefined;
    const arrival = new Promise<void>((resolve) => (arrived = resolve));
    const { url } = await listening(() => arrived?.());
    const client = egress();
    const early = new AbortController();
    early.abort();
    expect(await client.request(get(url, { signal: early.signal }))).toMatchObject({
      error: { code: 'aborted', delivered: 'no' },
    });
    const late = new AbortController();
    const call = client.request(get(url, { signal: late.signal }));
    await arrival;
    late.abort();
    expect(await call).toMatchObject({ error: { code: 'aborted', delivered: 'maybe' } });
  });

  it('writes nothing for a call that was aborted while it waited for a connection', async () => {
    const arrived: string[] = [];
    const held: ServerResponse[] = [];
    const { url } = await listening((request, response) => {
      arrived.push(String(request.url));
      held.push(response);
    });
    const client = egress();
    const busy = Array.from({ length: 8 }, (_, index) => client.request(get(`${url}/busy${index}`)));
    const controller = new AbortController();
    const waiting = client.request(get(`${url}/waiting`, { signal: controller.signal }));
    controller.abort();
    expect(await waiting).toMatchObject({ error: { code: 'aborted', delivered: 'no' } });
    while (held.length < 8) await new Promise((resolve) => setImmediate(resolve));
    for (const response of held.splice(0)) response.end();
    await Promise.all(busy);
    const after = client.request(get(`${url}/after`));
    while (held.length < 1) await new Promise((resolve) => setImmediate(resolve));
    held[0]?.end();
    await after;
    expect(arrived).not.toContain('/waiting');
  });

  it('distinguishes a closed port, an unknown name and a broken answer', async () => {
    const tcp = createTcpServer((socket) => socket.resume().end('this is not HTTP\r\n\r\n'));
    await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
    const port = (tcp.address() as AddressInfo).port;
    const unknown = Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    const client = egress(true, { resolver: () => Promise.reject(unknown) });
    expect(await client.request(get(`http://127.0.0.1:${port}/`))).toMatchObject({
      error: { code: 'broken_response', delivered: 'maybe' },
    });
    await new Promise((resolve) => tcp.close(resolve));
    expect(await client.request(get(`http://127.0.0.1:${port}/`))).toMatchObject({
      error: { code: 'connect_failed', delivered: 'no' },
    });
    expect(await client.request(get('https://nowhere.example/'))).toMatchObject({
      error: { code: 'unresolved', delivered: 'no' },
    });
  });

  it('accepts a registration whose name does not resolve yet, and refuses one that resolves inside', async () => {
    const resolver = (host: string) =>
      host === 'inside.example'
        ? Promise.resolve([{ address: '192.168.1.1', family: 4 }])
        : Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }));
    const client = egress(false, { resolver });
    expect(await client.checkUrl('https://later.example/hook')).toEqual({ ok: true, value: undefined });
    const refused = await client.checkUrl('https://inside.example/hook');
    expect(refused).toMatchObject({ error: { code: 'blocked_address' } });
    expect(JSON.stringify(refused)).not.toContain('192.168');
  });

  it('never sends a header with a line break', async () => {
    const { url } = await listening((_request, response) => response.end());
    const answer = await egress().request(get(url, { headers: { 'x-a': 'b\r\nx-c: d' } }));
    expect(answer).toMatchObject({ error: { code: 'blocked_url', delivered: 'no' } });
  });
});

describe('the fetch for client libraries', () => {
  it('posts JSON and reads it, any number of times', async () => {
    const { url } = await listening((request, response) => {
      response.setHeader('content-type', 'application/json');
      request.pipe(response);
    });
    const response = await egress().fetchLike(new URL(`${url}/mcp`), {
      method: 'POST',
      headers: new Headers({ 'Content-Type': 'application/json' }),
      body: '{"a":1}',
    });
    expect([response.ok, response.status, response.headers.get('Content-Type')]).toEqual([
      true,
      200,
      'application/json',
    ]);
    expect(await response.json()).toEqual({ a: 1 });
    expect(await response.text()).toBe('{"a":1}');
  });

  it('streams events as they arrive, and stops the peer when the reader disconnects', async () => {
    let left: (() => void) | undefined;
    const leaving = new Promise<void>((resolve) => (left = resolve));
    const { url } = await listening((_request, response) => {
      response.on('close', () => left?.());
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      response.write('data: one\n\n');
    });
    const response = await egress().fetchLike(url);
    const reader = response.body!.getReader();
    const first = await reader.read();
    expect(Buffer.from(first.value ?? []).toString()).toBe('data: one\n\n');
    await reader.cancel();
    await leaving;
  });

  it('passes any successful answer on while it arrives where that is asked for, and ends it at the limit', async () => {
    const { url } = await listening((request, response) => {
      if (request.url === '/refused') return response.writeHead(403).end('no');
      response.write('one');
      return request.url === '/long' ? response.end('x'.repeat(100)) : undefined;
    });
    const open = (path: string) =>
      egress().open({ method: 'GET', url: `${url}${path}`, maxBytes: 50, timeoutMs: 10_000 });
    expect(await open('/refused')).toMatchObject({
      ok: true,
      value: { status: 403, body: Buffer.from('no') },
    });
    // The rest never comes.
    const begun = await open('/begun');
    const arriving = begun.ok ? (begun.value.body as ReadableStream<Uint8Array>) : undefined;
    const reader = arriving!.getReader();
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('one');
    await reader.cancel();
    const long = await open('/long');
    const all = long.ok
      ? new Response(long.value.body as ReadableStream<Uint8Array>).text()
      : Promise.resolve('refused');
    await expect(all).rejects.toMatchObject({ code: 'too_large' });
  });

  it('reads no more of an answer than the caller’s limit, and never more than the general one', async () => {
    const { url } = await listening((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify('x'.repeat(998)));
    });
    const { fetchLike } = egress();
    expect(await (await fetchLike(url, { maxBytes: 1_000 })).json()).toHaveLength(998);
    await expect(fetchLike(url, { maxBytes: 999 })).rejects.toMatchObject({ code: 'too_large' });
    expect(await (await fetchLike(url, { maxBytes: Number.MAX_SAFE_INTEGER })).json()).toHaveLength(998);
  });

  it('aborts an event stream at the limit', async () => {
    const { url } = await listening((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      pipeline(Readable.from(megabytes()), response, () => undefined);
    });
    const response = await egress().fetchLike(url);
    await expect(response.text()).rejects.toMatchObject({ code: 'too_large' });
  });

  it('rejects with the code of the failure and whether the peer can have acted', async () => {
    const { url } = await listening((_request, response) =>
      response.writeHead(307, { location: '/x' }).end(),
    );
    const client = egress();
    await expect(client.fetchLike(url)).rejects.toMatchObject({ code: 'redirect_refused', status: 307 });
    await expect(client.fetchLike('https://10.0.0.1/')).rejects.toMatchObject({
      code: 'blocked_address',
      delivered: 'no',
    });
  });
});
