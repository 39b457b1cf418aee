import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateSigningKey, publicJwk, signRequest } from '@switchyard/signing';
import { readBody, startServer, type TestServer } from '@switchyard/testing';
import { list, type Json } from './harness/buy-request.js';
import { dataFolder } from './harness/data-folder.js';
import type { Instance } from './harness/instance.js';
import { admin } from './harness/own-everything.js';
import { jsonOf } from './harness/run-switchyard.js';
import { waitUntil } from './harness/wait-until.js';
import { openOrganization } from './harness/shared-instance.js';

/**
 * Two buyers' agents that an admin registers by URL only: one leads to its keys, the other to a missing brand.json. One
 * server plays both, their brand and their key set.
 */
const folder = dataFolder();
const key = generateSigningKey('agency-2026');
let server: TestServer;
let agent: string;
let instance: Instance;

const body = JSON.stringify({ brief: 'anything' });
const path = '/v1/tasks/get_products';

beforeAll(async () => {
  server = await startServer(async (request, response) => {
    const at = request.url ?? '';
    const answer =
      request.method === 'POST' ? answerTo(at, (await readBody(request)).toString()) : standing(at);
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(answer === undefined ? '' : JSON.stringify(answer));
  });
  agent = server.url;
  instance = await openOrganization(folder.path, ['prompt']);
});

afterAll(async () => {
  await instance.stop();
  await server.close();
  await folder.remove();
});

function standing(at: string): Json | undefined {
  const entry = { type: 'buying', id: 'agency', url: `${agent}/mcp`, jwks_uri: `${agent}/jwks.json` };
  if (at === '/brand.json') return { agents: [entry] };
  return at === '/jwks.json' ? { keys: [publicJwk(key, ['adcp_use'])] } : undefined;
}

/** The part of an MCP server that answers the capabilities task. */
function answerTo(at: string, message: string): Json | undefined {
  const { id, method, params } = JSON.parse(message) as Json & { readonly params?: Json };
  const reply = (result: Json): Json => ({ jsonrpc: '2.0', id, result });
  const serverInfo = { name: 'agency', version: '1' };
  if (method === 'initialize') {
    return reply({ protocolVersion: params?.['protocolVersion'], capabilities: { tools: {} }, serverInfo });
  }
  if (method === 'tools/list') {
    return reply({ tools: [{ name: 'get_adcp_capabilities', inputSchema: { type: 'object' } }] });
  }
  if (method !== 'tools/call') return {};
  const brand = `${agent}${at === '/mcp' ? '' : '/nowhere'}/brand.json`;
  return reply({
    content: [],
    structuredContent: { adcp: { major_versions: [3] }, identity: { brand_json_url: brand } },
  });
}

async function send(more: Readonly<Record<string, string>> = {}): Promise<Response> {
  const created = Math.floor(Date.now() / 1000);
  const headers = { 'content-type': 'application/json' };
  const signature = signRequest({
    ...{ method: 'POST', url: instance.url + path, headers, body: Buffer.from(body) },
    ...{ keyid: key.kid, alg: key.alg, privateKey: key.privateKey },
    ...{ tag: 'adcp/request-signing/v1', created, expires: created + 300 },
    nonce: randomBytes(16).toString('base64url'),
  });
  return fetch(instance.url + path, { method: 'POST', headers: { ...headers, ...signature, ...more }, body });
}

const cli = <T>(...args: readonly string[]): Promise<T> => jsonOf<T>([...args, '--data', folder.path]);
const principal = (name: string): Promise<{ readonly token: string }> =>
  cli('principals', 'add', name, '--kind', 'buyer', '--allow', 'products:read');

describe('an agent that an admin registers by its address only', () => {
  it('signs as its principal, and its key set is shown and stored', async () => {
    await principal('agency');
    expect((await send()).headers.get('www-authenticate')).toBe(
      'Signature error="request_signature_key_unknown"',
    );
    const added = await cli<Json>('signers', 'add', 'agency', '--agent-url', `${agent}/mcp`);
    expect(added).toMatchObject({ principal: 'agency', discovered_over: 'mcp' });
    const answer = await waitUntil('the registration is seen', async () => {
      const tried = await send();
      return tried.status === 200 ? tried : undefined;
    });
    expect(await answer.json()).toMatchObject({ products: expect.any(Array) });
    const found = await waitUntil('the key set is kept', async () => {
      const [row] = list((await admin(instance, 'GET', '/v1/signers'))['signers']);
      return row?.['jwks_uri'];
    });
    expect(found).toBe(`${agent}/jwks.json`);
  });

  it('is refused with the code of the failed step, and an admin reads the details', async () => {
    const { token } = await principal('broken');
    await cli('signers', 'add', 'broken', '--agent-url', `${agent}/broken`);
    const code = 'request_signature_brand_json_unreachable';
    const refused = await waitUntil('the registration is seen', async () => {
      const tried = await send({ authorization: `Bearer ${token}` });
      return tried.headers.get('www-authenticate') === `Signature error="${code}"` ? tried : undefined;
    });
    expect(refused.status).toBe(401);
    expect(await refused.text()).not.toContain('nowhere');
    const stored = await waitUntil('the refusal is kept', async () => {
      const all = await cli<readonly Json[]>('signatures', 'refused', '--code', code);
      return all[0];
    });
    expect(stored).toMatchObject({ code, principal: 'broken' });
    expect((stored['steps'] as readonly Json[]).at(-1)).toMatchObject({
      ok: false,
      details: {
        failure: 'brand_json_unreachable',
        brand_json_url: `${agent}/nowhere/brand.json`,
        http_status: 404,
      },
    });
  });
});
