import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { faultOf, openHttpHarness, taskReply } from '../../main/testkit/http-harness.js';

const http = await openHttpHarness();
afterAll(() => http.close());
beforeEach(() => {
  http.calls.length = 0;
  http.webhooks.length = 0;
  http.answerWith(() => taskReply({ products: [] }));
});

const mcp = (args: string) =>
  `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"get_products","arguments":${args}}}`;
const a2a = (args: string) =>
  `{"jsonrpc":"2.0","id":7,"method":"message/send","params":{"message":{"parts":[{"kind":"data","data":{"skill":"get_products","parameters":${args}}}]}}}`;
const tasks = [
  { name: 'MCP', path: '/mcp', wrap: mcp },
  { name: 'A2A', path: '/a2a', wrap: a2a },
  { name: 'REST', path: '/v1/tasks/get_products', wrap: (args: string) => args },
];

describe.each(tasks)('a malformed body, over $name', ({ name, path, wrap }) => {
  // Over A2A a fault of JSON-RPC is an answer of it.
  const malformed = name === 'A2A' ? 200 : 400;

  it.each([
    ['not JSON', '{"brief":'],
    ['a duplicate key', '{"brief":"a","brief":"b"}'],
    ['the same key in two spellings', '{"brief":"a","\\u0062rief":"b"}'],
    ['a number beyond a double', '{"budget":1e400}'],
    ['nesting without end', '['.repeat(80) + ']'.repeat(80)],
  ])('refuses %s with a code, a reason and a suggestion', async (_what, args) => {
    const answer = await http.post(path, wrap(args));
    expect(answer.status).toBe(malformed);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    const fault = await faultOf(answer);
    expect(fault['code']).toBe('INVALID_REQUEST');
    expect(fault['suggestion']).toEqual(expect.any(String));
    expect(http.calls).toHaveLength(0);
  });

  it('names the place of a duplicate key', async () => {
    const fault = await faultOf(await http.post(path, wrap('{"packages":[{"budget":1,"budget":2}]}')));
    expect(fault['field']).toBe('packages[0]');
    expect(fault['message']).toContain('budget');
  });

  it('refuses U+0000 in a text or a key and names the place, but accepts a text that spells it', async () => {
    const nul = (args: string) =>
      http.post(path, wrap(args)).then(async (answer) => [answer.status, await faultOf(answer)]);
    const refused = { code: 'INVALID_REQUEST', suggestion: expect.any(String) };
    expect(await nul('{"packages":[{"context":{"ref":"a\\u0000b"}}]}')).toEqual([
      malformed,
      expect.objectContaining({ ...refused, field: 'packages[0].context.ref' }),
    ]);
    expect(await nul('{"context":{"\\u0000":1}}')).toEqual([malformed, expect.objectContaining(refused)]);
    expect(http.calls).toHaveLength(0);
    expect((await http.post(path, wrap('{"brief":"a\\\\u0000b"}'))).status).toBe(200);
  });

  it('refuses a body without a JSON content type', async () => {
    const answer = await http.post(path, wrap('{}'), { 'content-type': 'text/plain' });
    expect(answer.status).toBe(415);
  });

  it('refuses an empty body', async () => {
    expect((await http.post(path, '')).status).toBe(malformed);
  });

  it('keeps the text of numbers that a double cannot hold, by their place in the arguments', async () => {
    await http.post(path, wrap('{"packages":[{"budget":0.1000000000000000055}]}'));
    expect([...(http.calls[0]?.exact ?? [])]).toEqual([['/packages/0/budget', '0.1000000000000000055']]);
  });

  it('gets a code and no internal detail after an internal error', async () => {
    http.answerWith(() => {
      throw new Error('password of the database is hunter2');
    });
    const text = await (await http.post(path, wrap('{}'))).text();
    expect(text).toContain('INTERNAL_ERROR');
    expect(text).not.toMatch(/hunter2|\.ts|\.js|at /);
    expect(http.unexpected).toHaveLength(1);
    http.unexpected.length = 0;
  });

  it('refuses a page of another origin', async () => {
    const answer = await http.post(path, wrap('{}'), { origin: 'https://evil.example' });
    expect(answer.status).toBe(403);
    expect(http.calls).toHaveLength(0);
  });
});

describe('webhooks', () => {
  it('forwards the exact bytes, the address and the headers in their order and with repetitions', async () => {
    const bytes = Buffer.from('{"a": 1,\n "a" :2}\u00e4');
    await rawPost(
      http.url,
      `POST /webhooks/reg%2D1?x=1 HTTP/1.1\r\nHost: localhost\r\nX-Two: b\r\nContent-Type: text/odd\r\nX-Two: a\r\nContent-Length: ${bytes.length}\r\nConnection: close\r\n\r\n`,
      bytes,
    );
    const post = http.webhooks[0];
    expect(post?.registration).toBe('reg-1');
    expect(post?.rawUrl).toBe('/webhooks/reg%2D1?x=1');
    expect(post?.headers.filter(([name]) => name === 'X-Two')).toEqual([
      ['X-Two', 'b'],
      ['X-Two', 'a'],
    ]);
    expect(
      createHash('sha256')
        .update(post?.body ?? '')
        .digest('hex'),
    ).toBe(createHash('sha256').update(bytes).digest('hex'));
  });

  it('accepts exactly one megabyte and refuses one byte more before it is read', async () => {
    expect((await http.post('/webhooks/r', Buffer.alloc(1024 * 1024, 32))).status).toBe(200);
    const answer = await http.post('/webhooks/r', Buffer.alloc(1024 * 1024 + 1, 32));
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({ errors: [{ code: 'PAYLOAD_TOO_LARGE' }] });
    expect(http.webhooks).toHaveLength(1);
  });

  it('cuts a chunked body off at the cap', async () => {
    const stream = new ReadableStream({
      start(controller) {
        for (let at = 0; at < 40; at += 1) controller.enqueue(new Uint8Array(65_536));
        controller.close();
      },
    });
    const answer = await fetch(`${http.url}/webhooks/r`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: stream,
      duplex: 'half',
    });
    expect(answer.status).toBe(413);
    expect(http.webhooks).toHaveLength(0);
  });

  it.each(['/webhooks/r', '/nowhere'])(
    'in chunks of one byte are refused at %s before the cap, and their sender is disconnected',
    async (path) => {
      const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
      const told = await rawPost(http.url, head, Buffer.from('1\r\n \r\n'.repeat(30_000)));
      expect(told).toMatch(/^HTTP\/1\.1 413 /);
      expect(http.webhooks).toHaveLength(0);
    },
  );
});

describe('an invalid request', () => {
  it('to an unknown address is answered with a code', async () => {
    const answer = await fetch(`${http.url}/nowhere`);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ errors: [{ code: 'NOT_FOUND' }] });
  });

  it.each([
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-authorization-server',
    '/.well-known/openid-configuration',
  ])('has no OAuth metadata at %s', async (path) => {
    expect((await fetch(http.url + path)).status).toBe(404);
  });

  it.each(['/oauth/register', '/register', '/oauth/token'])(
    'registers no clients and issues no tokens at %s: an admin does',
    async (path) => {
      const client = { client_name: 'x', redirect_uris: ['https://x.example/cb'] };
      const answer = await http.post(path, client);
      expect([answer.status, await faultOf(answer)]).toMatchObject([404, { code: 'NOT_FOUND' }]);
    },
  );

  it('to an undecodable address is answered with a code', async () => {
    const text = await rawPost(
      http.url,
      'GET /v1/tasks/%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      Buffer.alloc(0),
    );
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain('INVALID_REQUEST');
  });

  it('that is no HTTP is answered with a code', async () => {
    const text = await rawPost(http.url, 'HELO there\r\n\r\n', Buffer.alloc(0));
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain('INVALID_REQUEST');
  });
});

function rawPost(url: string, head: string, body: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
    socket.write(Buffer.concat([Buffer.from(head), body]));
  });
}
