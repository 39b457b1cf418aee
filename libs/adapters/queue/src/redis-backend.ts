import { createRedisBackend } from 'bullmq';
import { Redis, type RedisOptions } from 'ioredis';
import type { QueueBackend } from './queue-backend.js';

/**
 * BullMQ on Redis. Without a connection, commands that add a job fail at once instead of collecting in memory; workers
 * wait until Redis is back.
 */
export function redisBackend(url: string, namespace: string, onError: (error: Error) => void): QueueBackend {
  const options = {
    connectTimeout: 5_000,
    disconnectTimeout: 200,
    retryStrategy: (times: number) => Math.min(times * 100, 2_000),
  };
  const opened = (more: RedisOptions): Redis =>
    new Redis(url, { ...options, ...more }).on('error', onError).setMaxListeners(0);
  const producing = opened({ enableOfflineQueue: false, maxRetriesPerRequest: 0, lazyConnect: true });
  // It connects by itself. BullMQ connects one that waits for that, and a worker gets no jobs if the first try fails.
  let consuming: Redis | undefined;
  // One hash slot for all keys, as Redis Cluster needs.
  const prefix = `{${namespace}}`;
  return {
    create: (name, options, use) => {
      const prefixed = { ...options, prefix };
      return use?.withBlockingConnection === true
        ? createRedisBackend(
            name,
            { ...prefixed, connection: (consuming ??= opened({ maxRetriesPerRequest: null })) },
            use,
          )
        : createRedisBackend(
            name,
            // The check queries Redis once and keeps a failure forever. Workers check the version too.
            { ...prefixed, connection: producing, skipWaitingForReady: true, skipVersionCheck: true },
            use,
          );
    },
    async ping() {
      if (producing.status === 'wait') await producing.connect();
      await producing.ping();
    },
    close: () => {
      producing.disconnect();
      consuming?.disconnect();
      return Promise.resolve();
    },
  };
}
