import { Redis } from 'ioredis';
import { err, ok, type Result } from '@switchyard/values';

export interface RedisFacts {
  readonly version: string;
  /** What Redis does when its memory is full; undefined if we may not ask. */
  readonly evictionPolicy?: string;
}

/** Asks a Redis about itself, within `answerMs` milliseconds. The failure holds no password. */
export async function inspectRedis(
  url: string,
  answerMs: number,
): Promise<Result<RedisFacts, { readonly message: string }>> {
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: answerMs,
    commandTimeout: answerMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const told = await client.info('server');
    const version = /redis_version:(\S+)/.exec(told)?.[1] ?? 'unknown';
    const policy = await client.config('GET', 'maxmemory-policy').catch(() => undefined);
    const evictionPolicy = Array.isArray(policy) && typeof policy[1] === 'string' ? policy[1] : undefined;
    return ok({ version, ...(evictionPolicy !== undefined && { evictionPolicy }) });
  } catch (error) {
    return err({ message: (error as Error).message.replace(/\/\/[^@\s]*@/, '//') });
  } finally {
    client.disconnect();
  }
}
