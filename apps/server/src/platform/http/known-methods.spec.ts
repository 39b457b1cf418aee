import { afterAll, describe, expect, it } from '@jest/globals';
import { openHttpHarness } from '../../main/testkit/http-harness.js';

const http = await openHttpHarness();
afterAll(() => http.close());

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'];
const addresses: readonly (readonly [path: string, allow: string])[] = [
  ['/mcp', 'POST'],
  ['/a2a', 'POST'],
  ['/v1/tasks/get_products', 'POST'],
  ['/v1/tasks/no_such_task?dry=1', 'POST'],
  ['/webhooks/whr_nobody', 'POST'],
  ['/relay/nobody/mcp', 'POST'],
  ['/relay/nobody/a2a', 'POST'],
  ['/v1/sellers', 'GET, HEAD, POST'],
  ['/v1/principals/nobody', 'DELETE'],
  ['/v1/custody/export', 'GET, HEAD, POST'],
  ['/.well-known/agent-card.json', 'GET, HEAD'],
  ['/.well-known/jwks.json', 'GET, HEAD'],
  ['/.well-known/switchyard/retired-keys.json', 'GET, HEAD'],
  ['/.well-known/switchyard/heads/nobody', 'GET, HEAD'],
  ['/.well-known/oauth-protected-resource/mcp', 'GET, HEAD'],
  ['/healthz', 'GET, HEAD'],
  ['/openapi.json', 'GET, HEAD'],
];
const wrong = addresses.flatMap(([path, allow]) =>
  methods.filter((method) => !allow.split(', ').includes(method)).map((method) => ({ method, path, allow })),
);

/** What was said, and the one error of it. */
async function responseTo(method: string, path: string) {
  const answer = await fetch(http.url + path, { method });
  const text = await answer.text();
  const { errors } = JSON.parse(text === '' ? '{}' : text) as { errors?: readonly object[] };
  return { status: answer.status, allow: answer.headers.get('allow'), errors, text };
}

describe('an address that exists', () => {
  it.each(wrong)('answers $method $path with its methods: $allow', async ({ method, path, allow }) => {
    const { status, allow: told, errors } = await responseTo(method, path);
    expect([status, told]).toEqual([405, allow]);
    expect(errors).toEqual([
      { code: 'METHOD_NOT_ALLOWED', message: expect.stringContaining(allow), recovery: 'correctable' },
    ]);
  });

  it('answers HEAD in the same way without a body', async () => {
    const { status, allow, text } = await responseTo('HEAD', '/mcp');
    expect([status, allow, text]).toEqual([405, 'POST', '']);
  });

  it('does not reveal whether the object exists', async () => {
    const there = await responseTo('PUT', '/v1/principals/buyer');
    expect(there).toEqual(await responseTo('PUT', '/v1/principals/nobody'));
  });
});

describe('an address that does not exist', () => {
  const nowhere = ['/', '/nothing', '/mcp/x', '/mcp/more', '/v1', '/v1/tasks', '/v1/tasks/', '/v1/tasks/a/b'];
  const more = ['/relay/nobody/rest', '/relay//mcp', '/webhooks', '/webhooks/a/b', '/v2/tasks/get_products'];
  it.each([...nowhere, ...more].flatMap((path) => methods.map((method) => ({ method, path }))))(
    'answers $method $path with not found, and names no method',
    async ({ method, path }) => {
      const { status, allow, errors } = await responseTo(method, path);
      expect([status, allow]).toEqual([404, null]);
      expect(errors).toMatchObject([{ code: 'NOT_FOUND' }]);
    },
  );
});
