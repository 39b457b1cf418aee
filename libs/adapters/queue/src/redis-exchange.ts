import { Redis, type RedisOptions } from 'ioredis';

/**
 * Messages between the processes of an installation. What is sent while Redis is away is lost, and what is sent comes to
 * the sender as well.
 */
export interface Exchange {
  /** Returns at once. */
  publish(topic: string, text: string): void;
  subscribe(topic: string, take: (text: string) => void): void;
  close(): Promise<void>;
}

/** An exchange on Redis. It never rejects or waits: lost connections are made again, and reported to `onError`. */
export function openExchange({
  redisUrl,
  onError,
  namespace = 'switchyard',
}: {
  readonly redisUrl: string;
  readonly onError: (error: Error) => void;
  /** Prefix of its channels, so that several installations can share a server. */
  readonly namespace?: string;
}): Exchange {
  const options: RedisOptions = {
    connectTimeout: 5_000,
    disconnectTimeout: 200,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(times * 100, 2_000),
  };
  const sending = new Redis(redisUrl, options).on('error', onError);
  // It remembers its subscriptions and repeats them on each new connection.
  const listening = new Redis(redisUrl, {
    ...options,
    enableOfflineQueue: true,
    maxRetriesPerRequest: null,
  }).on('error', onError);
  const takers = new Map<string, (text: string) => void>();
  listening.on('message', (channel: string, text: string) => takers.get(channel)?.(text));
  const channelOf = (topic: string): string => `${namespace}:${topic}`;
  return {
    publish: (topic, text) => {
      if (sending.status === 'ready') sending.publish(channelOf(topic), text).catch(onError);
    },
    subscribe: (topic, take) => {
      takers.set(channelOf(topic), take);
      listening.subscribe(channelOf(topic)).catch(onError);
    },
    close: () => {
      sending.disconnect();
      listening.disconnect();
      return Promise.resolve();
    },
  };
}
