import { createServer as createHttpServer, type Server } from 'node:http';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { freePort } from '@switchyard/testing';
import { openHttpHarness, taskReply, type HttpHarness } from './testkit/http-harness.js';

describe('where the endpoints open', () => {
  it('use the next port if the preferred one is in use', async () => {
    const [blocker, port] = await takePort();
    const http = await openHttpHarness({ port });
    expect(Number(new URL(http.url).port)).toBeGreaterThan(port);
    expect((await fetch(`${http.url}/healthz`)).status).toBe(200);
    await http.close();
    blocker.close();
  });

  it('report that a requested port is in use', async () => {
    const [blocker, port] = await takePort();
    await expect(openHttpHarness({ port, portIsExplicit: true })).rejects.toThrow(`Port ${port}`);
    blocker.close();
  });

  it.each(['0.0.0.0', '::', '192.0.2.1'])(
    'refuse to bind to %s in plain text and say how to allow it',
    async (host) => {
      await expect(openHttpHarness({ host })).rejects.toThrow(/certificate.*trusted proxy.*127\.0\.0\.1/);
    },
  );

  it('bind beyond loopback behind a trusted proxy', async () => {
    const http = await openHttpHarness({
      host: '0.0.0.0',
      trustedProxies: ['10.0.0.0/8'],
      publicUrl: 'https://ads.example',
    });
    expect(http.url).toBe('https://ads.example');
    await http.close();
  });

  it.each([
    ['https://ads.example', 'max-age=31536000'],
    ['http://127.0.0.1', null],
  ])('at %s send HSTS to browsers: %s', async (publicUrl, expected) => {
    const port = await freePort();
    const http = await openHttpHarness({ port, portIsExplicit: true, publicUrl });
    for (const path of ['/healthz', '/mcp', '/nowhere']) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`);
      expect(answer.headers.get('strict-transport-security')).toBe(expected);
    }
    await http.close();
  });

  it('end without waiting for an unused connection, before work in progress', async () => {
    const http = await openHttpHarness();
    const socket = connect(Number(new URL(http.url).port), '127.0.0.1');
    await once(socket, 'connect');
    const { response, release } = await underWay(http);
    const ended = once(socket, 'close');
    const closed = http.close();
    await ended;
    release();
    expect(await (await response).json()).toEqual({ done: true });
    await closed;
  });

  it('let work in progress finish before they close', async () => {
    const http = await openHttpHarness();
    const { response, release } = await underWay(http);
    const closed = http.close();
    release();
    expect(await (await response).json()).toEqual({ done: true });
    await closed;
    await expect(fetch(`${http.url}/healthz`)).rejects.toThrow();
  });
});

/** A request that the endpoints have taken, and that is answered when the test says so. */
async function underWay(http: HttpHarness): Promise<{ response: Promise<Response>; release: () => void }> {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  http.answerWith(async () => {
    await held;
    return taskReply({ done: true });
  });
  const response = http.post('/v1/tasks/get_products', {});
  while (http.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
  return { response, release };
}

async function takePort(): Promise<[Server, number]> {
  const server = createHttpServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return [server, (server.address() as AddressInfo).port];
}
