import { createRedisBackend } from 'bullmq';
import { Redis } from 'ioredis';
import type { QueueBackend } from './open-queue.js';

/**
 * BullMQ on Redis. Without a connection, commands that add a job fail at once instead of collecting in memory; workers
 * wait until Redis is back.
 */
export function redisBackend(url: string, namespace: string, onError: (error: Error) => void): QueueBackend {
  const options = {
    connectTimeout: 5_000,
    disconnectTimeout: 200,
    retryStrategy: (times: number) => Math.min(times * 100, 2_000),
    lazyConnect: true,
  };
  const producing = new Redis(url, { ...options, enableOfflineQueue: false, maxRetriesPerRequest: 0 });
  const consuming = new Redis(url, { ...options, maxRetriesPerRequest: null });
  for (const connection of [producing, consuming]) connection.on('error', onError).setMaxListeners(0);
  // One hash slot for all keys, as Redis Cluster needs.
  const prefix = `{${namespace}}`;
  return {
    create: (name, options, use) => {
      const prefixed = { ...options, prefix };
      return use?.withBlockingConnection === true
        ? createRedisBackend(name, { ...prefixed, connection: consuming }, use)
        : createRedisBackend(
            name,
            // The check asks Redis once and keeps a failure for ever. Workers check the version too.
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
      consuming.disconnect();
      return Promise.resolve();
    },
  };
}
