import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { fastifyAdapter, httpTimeouts } from './fastify-adapter.js';

let fastify: FastifyInstance;
let port: number;
let taken: number;
const open = new Set<Socket>();

const adapterWith = (timeouts?: { headersMs: number; requestMs: number }): FastifyInstance =>
  fastifyAdapter({
    guard: () => undefined,
    ...(timeouts === undefined ? {} : { timeouts }),
  }).getInstance<FastifyInstance>();

beforeAll(async () => {
  // Less than anybody has, and more than it takes a machine that is busy to take an honest request in.
  fastify = adapterWith({ headersMs: 2_000, requestMs: 3_000 });
  taken = 0;
  fastify.post('/webhooks/:registration', (_request, reply) => {
    taken += 1;
    return reply.send({});
  });
  await fastify.listen({ port: 0, host: '127.0.0.1' });
  ({ port } = fastify.server.address() as AddressInfo);
});
afterAll(async () => {
  for (const socket of open) socket.destroy();
  await fastify.close();
});

/** Writes the start, then one more byte whenever there is time, until it is cut off; what it was told. */
function trickle(start: string, byte: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    open.add(socket);
    let reported = '';
    const drip = setInterval(() => socket.write(byte), 20);
    socket.write(start);
    socket.on('data', (chunk: Buffer) => (reported += chunk.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(drip);
      resolve(reported);
    });
  });
}

const head = 'POST /webhooks/whr_1 HTTP/1.1\r\nHost: localhost\r\n';

describe('a slow sender', () => {
  it.each([
    ['its request line', 'POST /web', 'h'],
    ['its headers', `${head}X-Slow: `, 'a'],
    ['its body', `${head}Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{`, ' '],
    [
      'its chunks',
      `${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
      '1\r\n \r\n',
    ],
  ])('%s gets a timeout error, and is disconnected', async (_what, start, byte) => {
    const before = taken;
    expect(await trickle(start, byte)).toMatch(/^HTTP\/1\.1 408 [\s\S]+"code":"REQUEST_TIMEOUT"/);
    expect(taken).toBe(before);
  });

  it('affects nobody else: two hundred open connections stop no webhook', async () => {
    const slow = Array.from({ length: 200 }, () => trickle(`${head}X-Slow: `, 'a'));
    for (let turn = 0; turn < 20; turn += 1) {
      const answer = await fetch(`http://127.0.0.1:${String(port)}/webhooks/whr_1`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
      expect(answer.status).toBe(200);
    }
    for (const reported of await Promise.all(slow)) expect(reported).toContain('REQUEST_TIMEOUT');
  });

  it('has ten seconds for its headers and thirty for the whole request by default', async () => {
    const usual = adapterWith();
    await usual.ready();
    expect(httpTimeouts).toEqual({ headersMs: 10_000, requestMs: 30_000 });
    expect([usual.server.headersTimeout, usual.server.requestTimeout]).toEqual([10_000, 30_000]);
    await usual.close();
  });
});

describe('a sender that waits for no answer', () => {
  it('is disconnected at 100 requests, before what else it sent is begun', async () => {
    taken = 0;
    const post = `${head}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
    const told = (count: number): Promise<string> =>
      new Promise((resolve) => {
        const socket = connect(port, '127.0.0.1');
        open.add(socket);
        let text = '';
        socket.on('data', (chunk: Buffer) => {
          text += chunk.toString();
          if (text.split('HTTP/1.1 200').length > count) socket.end();
        });
        socket.on('error', () => undefined).on('close', () => resolve(text));
        socket.write(post.repeat(count));
      });
    expect((await told(100)).match(/HTTP\/1\.1 200/g)).toHaveLength(100);
    taken = 0;
    await told(600);
    expect(taken).toBeLessThanOrEqual(100);
  });
});
