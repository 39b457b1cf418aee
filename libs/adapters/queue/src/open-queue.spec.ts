import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { openQueue } from './open-queue.js';

it('a Redis that accepts the connection and never answers fails the start without a wait', async () => {
  const frozen = createServer().listen(0, '127.0.0.1');
  await once(frozen, 'listening');
  const { port } = frozen.address() as AddressInfo;
  const opened = await openQueue({ redisUrl: `redis://127.0.0.1:${port}`, answerMs: 100 });
  expect(opened.ok ? '' : opened.error.message).toBe('The queue does not answer (ETIMEDOUT).');
  frozen.close();
});

it('a Redis that is not there fails the start with the reason', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  taken.close();
  await once(taken, 'close');
  const opened = await openQueue({ redisUrl: `redis://127.0.0.1:${port}` });
  expect(opened.ok ? '' : opened.error.message).toBe('The queue does not answer (ECONNREFUSED).');
});
