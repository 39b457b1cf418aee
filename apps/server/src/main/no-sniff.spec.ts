import { connect } from 'node:net';
import { afterAll, describe, expect, it } from '@jest/globals';
import { openHttpHarness } from './testkit/http-harness.js';

const http = await openHttpHarness();
afterAll(() => http.close());

const requests = [
  ...[
    '/mcp',
    '/a2a',
    '/v1/tasks/get_products',
    '/webhooks/whr_nobody',
    '/relay/nobody/mcp',
    '/oauth/token',
  ].map((path) => ['POST', path] as const),
  ...[
    '/healthz',
    '/readyz',
    '/openapi.json',
    '/docs',
    '/reference',
    '/reference/start.js',
    '/reference/reference.js',
    '/console/',
    '/console/nothing.js',
  ].map((path) => ['GET', path] as const),
  ...['/.well-known/agent-card.json', '/.well-known/jwks.json', '/v1/sellers', '/nothing'].map(
    (path) => ['GET', path] as const,
  ),
  ['PUT', '/mcp'],
  ['OPTIONS', '/v1/sellers'],
] as const;

describe('every answer', () => {
  it.each(requests)('to %s %s says that its type is not to be guessed', async (method, path) => {
    const answer = await fetch(http.url + path, { method, redirect: 'manual' });
    await answer.arrayBuffer();
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('to bytes that are no request says it too', async () => {
    const { hostname, port } = new URL(http.url);
    const text = await new Promise<string>((resolve, reject) => {
      let received = '';
      const socket = connect(Number(port), hostname, () => socket.write('no request\r\n\r\n'));
      socket.setEncoding('utf8').on('data', (part: string) => (received += part));
      socket.on('end', () => resolve(received)).on('error', reject);
    });
    expect(text).toContain('x-content-type-options: nosniff');
  });
});
