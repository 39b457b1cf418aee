import { afterAll, describe, expect, it } from '@jest/globals';
import { openHttpHarness } from '../../main/testkit/http-harness.js';

const tool = 'https://tool.example';
const http = await openHttpHarness({ origins: [tool] });
afterAll(() => http.close());

const send = (method: string, path: string, headers: Record<string, string> = {}, body?: string) =>
  fetch(http.url + path, { method, headers, ...(body !== undefined && { body }) });
const allowed = ({ headers }: Response) => headers.get('access-control-allow-origin');
const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
const json = { 'content-type': 'application/json' };

describe('the doors of the protocols', () => {
  it.each(['/mcp', '/a2a'])(
    '%s serves the same with a slash at the end, without a redirect',
    async (path) => {
      const [bare, slashed] = await Promise.all(
        [path, `${path}/`].map((at) =>
          fetch(http.url + at, { method: 'POST', headers: json, body: ping, redirect: 'manual' }),
        ),
      );
      expect([slashed?.status, await slashed?.text()]).toEqual([bare?.status, await bare?.text()]);
      expect((await send('GET', `${path}/`)).status).toBe(405);
    },
  );

  it('serve their metadata with a slash at the end', async () => {
    for (const path of [
      '/.well-known/agent-card.json',
      '/.well-known/brand.json',
      '/.well-known/jwks.json',
    ]) {
      const bare = await (await send('GET', path)).json();
      expect([path, await (await send('GET', `${path}/`)).json()]).toEqual([path, bare]);
    }
  });
});

describe('a page of any origin', () => {
  const origin = { origin: 'https://anybody.example' };

  it.each([
    '/.well-known/agent-card.json',
    '/.well-known/jwks.json',
    '/a2a/.well-known/agent-card.json',
    '/openapi.json',
  ])('reads the public document %s, without credentials', async (path) => {
    const answer = await send('GET', path, origin);
    expect([answer.status, allowed(answer)]).toEqual([200, '*']);
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    const preflight = await send('OPTIONS', path, { ...origin, 'access-control-request-method': 'GET' });
    expect([preflight.status, allowed(preflight)]).toEqual([204, '*']);
  });

  it('may do nothing else', async () => {
    for (const path of ['/mcp', '/a2a', '/v1/me', '/docs', '/console/', '/sign-in']) {
      const answer = await send('GET', path, origin);
      expect([path, answer.status, allowed(answer)]).toEqual([path, 403, null]);
      const preflight = await send('OPTIONS', path, { ...origin, 'access-control-request-method': 'POST' });
      expect([path, preflight.status, allowed(preflight)]).toEqual([path, 403, null]);
    }
  });
});

describe('a page of a listed origin', () => {
  it('calls as programs do, after a preflight that names its headers', async () => {
    for (const path of ['/mcp', '/a2a/', '/v1/tasks/get_products', '/oauth/token']) {
      const preflight = await send('OPTIONS', path, {
        origin: tool,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization, mcp-protocol-version',
      });
      expect([path, preflight.status, allowed(preflight)]).toEqual([path, 204, tool]);
      expect(preflight.headers.get('access-control-allow-headers')).toBe(
        'authorization, mcp-protocol-version',
      );
      expect(preflight.headers.get('vary')).toContain('Origin');
      expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
    }
    const answer = await send(
      'POST',
      '/mcp',
      { ...json, origin: tool, authorization: `Bearer ${http.token}` },
      ping,
    );
    expect([answer.status, allowed(answer)]).toEqual([200, tool]);
    const refused = await send('GET', '/v1/me', { origin: tool });
    expect([refused.status, allowed(refused)]).toEqual([401, tool]);
    expect(refused.headers.get('access-control-expose-headers')).toContain('www-authenticate');
  });

  it('opens no page for people, and no session', async () => {
    for (const path of [
      '/sign-in',
      '/v1/session',
      '/oauth/authorize',
      '/oauth/interaction/x',
      '/console/',
      '/docs',
    ])
      expect([path, (await send('GET', path, { origin: tool })).status]).toEqual([path, 403]);
  });
});
