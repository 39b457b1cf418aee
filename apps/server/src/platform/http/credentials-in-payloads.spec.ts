import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import { faultOf, openHttpHarness } from '../../main/testkit/http-harness.js';

const secret = 'sk-live-0123456789abcdef';
const http = await openHttpHarness();
afterAll(() => http.close());
beforeEach(() => {
  http.calls.length = 0;
  http.drafts.length = 0;
});

const post = (path: string, body: unknown) =>
  http.post(path, body, { authorization: `Bearer ${http.token}` });
const tool = (params: JsonObject, beside: JsonObject = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'get_products', ...params },
  ...beside,
});
const message = (parts: readonly JsonObject[], more: JsonObject = {}, params: JsonObject = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'message/send',
  params: { message: { parts: [...parts], ...more }, ...params },
});
const data = (more: JsonObject = {}, args: JsonObject = {}) => ({
  kind: 'data',
  data: { skill: 'get_products', parameters: args, ...more },
});

describe('a credential around the arguments of a task', () => {
  it.each([
    ['params._meta.vendor.api_key', '/mcp', tool({ _meta: { vendor: { api_key: secret } } })],
    ['params.authorization', '/mcp', tool({ authorization: secret, arguments: {} })],
    ['context.clientSecret', '/mcp', tool({}, { context: { clientSecret: secret } })],
    [
      'params.message.metadata.authorization',
      '/a2a',
      message([data()], { metadata: { authorization: secret } }),
    ],
    ['params.metadata.access_token', '/a2a', message([data()], {}, { metadata: { access_token: secret } })],
    ['params.message.parts[0].data.api_key', '/a2a', message([data({ api_key: secret })])],
    ['params.message.parts[0].data.input.jwks', '/a2a', message([data({ input: { jwks: secret } })])],
    [
      'params.message.parts[1].data.bearer',
      '/a2a',
      message([data(), { kind: 'data', data: { bearer: secret } }]),
    ],
    [
      'params.configuration.credentials',
      '/a2a',
      message([data()], {}, { configuration: { credentials: secret } }),
    ],
  ])('is forwarded only as its place: %s', async (place, path, body) => {
    expect((await post(path, body)).status).toBe(200);
    expect(http.calls.map((call) => call.credentialBeside)).toEqual([place]);
    expect(JSON.stringify(http.calls[0]?.credentialBeside)).not.toContain(secret);
  });

  it.each([
    ['a progress token', '/mcp', tool({ _meta: { progressToken: 'p1' } })],
    [
      'what the arguments hold, which have exceptions of their own',
      '/mcp',
      tool({ arguments: { api_key: 'x' } }),
    ],
    ['the arguments of a skill', '/a2a', message([data({}, { api_key: 'x' })])],
    [
      'the block of a native callback',
      '/a2a',
      message(
        [data()],
        {},
        {
          configuration: {
            pushNotificationConfig: {
              url: 'https://buyer.example/hook',
              token: 't',
              authentication: { schemes: ['Bearer'], credentials: secret },
            },
          },
        },
      ),
    ],
  ])('is not %s', async (_what, path, body) => {
    await post(path, body);
    expect(http.calls.map((call) => call.credentialBeside)).toEqual([undefined]);
  });

  it.each([
    ['/mcp', { method: 'tools/list', params: { _meta: { api_key: secret } } }],
    ['/mcp', { method: 'initialize', params: { capabilities: { client_secret: secret } } }],
    ['/a2a', { method: 'tasks/get', params: { id: 't', metadata: { api_key: secret } } }],
    ['/a2a', { method: 'CancelTask', params: { id: 't', metadata: { password: secret } } }],
  ])('is refused at %s even if no task is called', async (path, body) => {
    const answer = await post(path, { jsonrpc: '2.0', id: 1, ...body });
    const text = await answer.text();
    expect(text).toContain('CREDENTIAL_IN_ARGS');
    expect(text).not.toContain(secret);
    expect(http.calls).toEqual([]);
  });
});

describe('a credential in an administrative request', () => {
  const seller = { slug: 'acme', agent_url: 'https://acme.example/mcp', protocol: 'mcp', dialect: 'ads' };
  const keys = { keys: [{ kid: 'k1', kty: 'OKP' }] };

  it.each([
    ['/v1/sellers', { ...seller, token: secret, jwks_uri: 'https://acme.example/jwks.json' }],
    ['/v1/sellers/import', [{ ...seller, token: secret, jwks_uri: 'https://acme.example/jwks.json' }]],
    ['/v1/credentials/c1/rotate', { secret }],
    ['/v1/principals', { name: 'agency', kind: 'buyer', jwks: keys }],
    ['/v1/principals/agency/signers', { agent_url: 'https://agency.example/mcp', jwks: keys }],
  ])('is accepted at %s in its own member', async (path, body) => {
    expect((await post(path, body)).status).toBe(200);
  });

  it.each([
    ['/v1/sellers', { ...seller, credentials: secret }, 'credentials'],
    ['/v1/sellers', { ...seller, account: { brand: { api_key: secret } } }, 'account.brand.api_key'],
    ['/v1/sellers/import', [seller, { ...seller, client_secret: secret }], '[1].client_secret'],
    ['/v1/credentials/c1/rotate', { secret, old: { secret } }, 'old.secret'],
    ['/v1/principals', { name: 'agency', kind: 'buyer', password: secret }, 'password'],
    ['/v1/principals/agency/tokens', { access_token: secret }, 'access_token'],
    ['/v1/principals/agency/signers', { agent_url: 'x', jwks: { ...keys, jwks: secret } }, 'jwks.jwks'],
    ['/v1/keys/rotate', { private_key: secret }, 'private_key'],
    ['/v1/alarms/a1/acknowledge', { reason: 'seen', authorization: secret }, 'authorization'],
  ])('is refused at %s in any other member, with its place', async (path, body, field) => {
    const answer = await post(path, body);
    expect(answer.status).toBe(400);
    const text = await answer.clone().text();
    expect(await faultOf(answer)).toMatchObject({ code: 'CREDENTIAL_IN_ARGS', field });
    expect(text).not.toContain(secret);
    expect(http.drafts).toEqual([]);
  });
});
