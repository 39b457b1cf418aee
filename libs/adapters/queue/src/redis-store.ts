import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { workerOptions, type JobData, type QueueStore } from './queue-store.js';

/** One hash slot for all keys, so that Redis Cluster serves them too. */
const prefixOf = (namespace: string): string => `{${namespace}}`;

/**
 * BullMQ on Redis. Commands that ask for a wake-up fail at once while Redis is away instead of piling up in memory;
 * workers wait for it as long as it takes.
 */
export function redisStore(url: string, namespace: string, onError: (error: Error) => void): QueueStore {
  const options = {
    connectTimeout: 5_000,
    disconnectTimeout: 200,
    retryStrategy: (times: number) => Math.min(times * 100, 2_000),
  };
  const asking = new Redis(url, {
    ...options,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    lazyConnect: true,
  });
  const working = new Redis(url, { ...options, maxRetriesPerRequest: null, lazyConnect: true });
  for (const connection of [asking, working]) {
    connection.on('error', onError);
    connection.setMaxListeners(0);
  }
  return {
    queue: (topic) =>
      new Queue<JobData>(topic, {
        connection: asking,
        prefix: prefixOf(namespace),
        skipWaitingForReady: true,
      }),
    worker: (topic, run, settings) =>
      new Worker<JobData>(topic, run, {
        connection: working,
        prefix: prefixOf(namespace),
        ...workerOptions(settings),
      }),
    async ping() {
      if (asking.status === 'wait') await asking.connect();
      await asking.ping();
    },
    close: () => {
      asking.disconnect();
      working.disconnect();
      return Promise.resolve();
    },
  };
}
