import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { openQueue } from './open-queue.js';
import { openExchange } from './redis-exchange.js';
import { queueContract, type QueueSubject } from './testkit/queue-contract.js';
import { openTestQueue } from './testkit/test-queue.js';
import { severableProxy, type SeverableProxy } from './testkit/severable-proxy.js';

describe('the queue on Redis', () => {
  const namespace = `test-${randomUUID()}`;
  let proxy: SeverableProxy;
  let subject: QueueSubject;
  let direct: Redis;
  beforeAll(async () => {
    const address = process.env['REDIS_URL'];
    if (address === undefined || address === '') {
      throw new Error('This suite needs a Redis: set REDIS_URL, for example redis://127.0.0.1:6379.');
    }
    const url = new URL(address);
    direct = new Redis(address);
    proxy = await severableProxy({ host: url.hostname, port: Number(url.port === '' ? 6379 : url.port) });
    url.host = `127.0.0.1:${proxy.port}`;
    subject = {
      open: (options) => openTestQueue({ redisUrl: url.href, namespace, ...options }),
      flush: async () => {
        const keys = await direct.keys(`{${namespace}}*`);
        if (keys.length > 0) await direct.del(...keys);
      },
      sever: () => Promise.resolve(proxy.sever()),
      mend: () => Promise.resolve(proxy.mend()),
    };
  });
  afterAll(async () => {
    await subject.flush();
    direct.disconnect();
    await proxy.close();
  });

  it.each(queueContract)('$guarantee', async ({ check }) => {
    await expect(check(subject)).resolves.toBeUndefined();
  });

  it('exchanges messages between processes, loses them while Redis is away, and never waits or fails', async () => {
    const lost: string[] = [];
    const open = () => {
      const url = new URL(process.env['REDIS_URL'] ?? '');
      url.host = `127.0.0.1:${proxy.port}`;
      return openExchange({ redisUrl: url.href, namespace, onError: ({ message }) => lost.push(message) });
    };
    const [one, other] = [open(), open()];
    let heard: (text: string) => void = () => undefined;
    const next = () => new Promise<string>((resolve) => (heard = resolve));
    other.subscribe('rates', (text) => heard(text));
    /** Sends until it arrives: connections and subscriptions take their time. */
    const arrives = async (text: string) => {
      const arrived = next();
      const timer = setInterval(() => one.publish('rates', text), 20);
      expect(await arrived).toBe(text);
      clearInterval(timer);
    };
    await arrives('first');
    proxy.sever();
    one.publish('rates', 'lost');
    while (lost.length === 0) await new Promise((resolve) => setImmediate(resolve));
    one.publish('rates', 'lost as well');
    proxy.mend();
    await arrives('again');
    expect(lost.join()).not.toContain('lost');
    await Promise.all([one.close(), other.close()]);
  });

  it('refuses to open an address without Redis, without printing its password', async () => {
    const opened = await openQueue({ redisUrl: 'redis://user:canary-password@127.0.0.1:1' });
    expect(opened).toMatchObject({ ok: false, error: { code: 'queue_unavailable' } });
    expect(JSON.stringify(opened)).not.toContain('canary-password');
  });
});
