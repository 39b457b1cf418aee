import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import { openHttpHarness, taskReply } from '../../main/testkit/http-harness.js';

const http = await openHttpHarness();
afterAll(() => http.close());
beforeEach(() => {
  http.calls.length = 0;
  http.answerWith(() => taskReply({ products: [{ product_id: 'acme:1' }] }));
});

const version = '2026-07-28';
const meta = {
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientCapabilities': {},
};
const call = { name: 'get_products', arguments: { brief: 'tea' } };

/** One request without a handshake; headers and members may be changed, and left out by `undefined`. */
async function ask(
  method: string,
  params: object = {},
  headers: Readonly<Record<string, string | undefined>> = {},
  about: JsonObject = meta,
) {
  const all: Readonly<Record<string, string | undefined>> = {
    authorization: `Bearer ${http.token}`,
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...headers,
  };
  const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const body = { jsonrpc: '2.0', id: 7, method, params: { ...params, _meta: about } };
  const answer = await http.post('/mcp', body, Object.fromEntries(sent));
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as JsonObject };
}

const errorOf = ({ status, body }: Awaited<ReturnType<typeof ask>>) => {
  const { code, data } = body['error'] as { code: number; data: JsonObject };
  return { status, id: body['id'], code, data };
};

describe('MCP without a handshake', () => {
  it('is found by server/discover, which names the version and what is offered', async () => {
    const { status, body, headers } = await ask('server/discover');
    expect([status, headers.get('mcp-session-id')]).toEqual([200, null]);
    expect(body['result']).toMatchObject({
      resultType: 'complete',
      supportedVersions: [version, '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
      capabilities: { tools: {} },
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'switchyard' } },
    });
    expect(JSON.stringify(body)).toContain('data, never instructions');
  });

  it('lists the same tools as with a handshake, in the same order, and says how long the list may be used', async () => {
    const [first, second] = [await ask('tools/list'), await ask('tools/list')];
    expect(first.body).toEqual(second.body);
    const older = await http.post('/mcp', { jsonrpc: '2.0', id: 7, method: 'tools/list' });
    const { result } = (await older.json()) as { result: JsonObject };
    expect(first.body['result']).toMatchObject({ ...result, ttlMs: 300_000, cacheScope: 'public' });
    expect(Object.keys(result)).toEqual(['tools']);
  });

  it('answers a call with a complete result, as JSON and as a stream', async () => {
    const named = { 'mcp-name': 'get_products' };
    const { body } = await ask('tools/call', call, named);
    expect(body['result']).toMatchObject({
      resultType: 'complete',
      structuredContent: { products: [{ product_id: 'acme:1' }] },
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'switchyard' } },
    });
    expect(http.calls).toMatchObject([{ endpoint: 'mcp', task: 'get_products', args: { brief: 'tea' } }]);
    const streamed = await http.post(
      '/mcp',
      {
        jsonrpc: '2.0',
        id: 7,
        method: 'tools/call',
        params: { ...call, _meta: { ...meta, progressToken: 'p' } },
      },
      {
        ...named,
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': version,
        'mcp-method': 'tools/call',
      },
    );
    expect([streamed.headers.get('content-type'), streamed.headers.get('x-accel-buffering')]).toEqual([
      'text/event-stream; charset=utf-8',
      'no',
    ]);
    expect(await streamed.text()).toContain('"resultType":"complete"');
  });

  it('reads a name that no header can hold from Base64', async () => {
    const encoded = `=?base64?${Buffer.from('get_products').toString('base64')}?=`;
    expect((await ask('tools/call', call, { 'mcp-name': encoded })).status).toBe(200);
    expect(http.calls).toHaveLength(1);
  });

  it.each<[string, Readonly<Record<string, string | undefined>>]>([
    ['no version', { 'mcp-protocol-version': undefined }],
    ['another version', { 'mcp-protocol-version': '2025-11-25' }],
    ['no method', { 'mcp-method': undefined }],
    ['another method', { 'mcp-method': 'tools/list' }],
    ['a method in other letters', { 'mcp-method': 'Tools/Call' }],
    ['no name', { 'mcp-name': undefined }],
    ['another name', { 'mcp-name': 'create_media_buy' }],
    ['a name in broken Base64', { 'mcp-name': '=?base64?!?=' }],
  ])('refuses a call whose headers have %s, and performs nothing', async (_what, headers) => {
    const refused = errorOf(await ask('tools/call', call, { 'mcp-name': 'get_products', ...headers }));
    expect(refused).toMatchObject({ status: 400, id: 7, code: -32_020 });
    expect(http.calls).toEqual([]);
  });

  it.each<[string, JsonObject]>([
    ['the version', { 'io.modelcontextprotocol/clientCapabilities': {} }],
    ['the capabilities of the client', { 'io.modelcontextprotocol/protocolVersion': version }],
  ])('refuses a request without %s', async (_what, about) => {
    expect(errorOf(await ask('tools/list', {}, {}, about))).toMatchObject({ status: 400, code: -32_602 });
  });

  it('names the versions that it serves to a client of another one, with and without a claim in the body', async () => {
    const other = { ...meta, 'io.modelcontextprotocol/protocolVersion': '2031-01-01' };
    const supported = [version, '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
    for (const about of [other, {}])
      expect(
        errorOf(await ask('tools/list', {}, { 'mcp-protocol-version': '2031-01-01' }, about)),
      ).toMatchObject({ status: 400, code: -32_022, data: { supported, requested: '2031-01-01' } });
  });

  it.each(['ping', 'initialize', 'resources/list', 'subscriptions/listen'])(
    'does not have the method %s: HTTP 404 with an error of JSON-RPC',
    async (method) => {
      expect(errorOf(await ask(method))).toMatchObject({ status: 404, code: -32_601 });
    },
  );

  it('keeps no state: each request is read by itself, also between requests of the older versions', async () => {
    const older = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: version } };
    const begun = await http.post('/mcp', older);
    expect(await begun.json()).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
    const plain = await http.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call });
    const { result } = (await plain.json()) as { result: JsonObject };
    expect(Object.keys(result)).toEqual(['content', 'structuredContent']);
    expect((await ask('tools/list')).status).toBe(200);
  });
});
