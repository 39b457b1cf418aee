import { createRedisBackend, setDefaultBackendFactory, type BackendFactory } from 'bullmq';
import { err, ok, type Result } from '@switchyard/values';
import { postgresBackend } from './postgres-backend.js';
import { queueFailure, type QueueFailure } from './queue-failure.js';
import { redisBackend } from './redis-backend.js';
import type { QueueBackend } from './queue-backend.js';

export interface QueueOptions {
  /** `redis://` or `rediss://`. If set, jobs are stored in Redis. */
  readonly redisUrl?: string;
  /** Without Redis: URL of the database with the prepared schema `bullmq`, as the plain application role. */
  readonly databaseUrl?: string;
  /** Receives lost connections and errors of handlers. The queue recovers without help. */
  readonly onError?: (error: Error) => void;
  /** Redis only: prefix of our keys, so that several installations can share a server. Default: `switchyard`. */
  readonly namespace?: string;
  /** Longest wait for the first answer, in milliseconds: a frozen store accepts connections. Default: 10,000. */
  readonly answerMs?: number;
}

/** An open job store, which is passed to `QueueModule` as its connection. */
export class QueueConnection {
  #closed: Promise<void> | undefined;

  constructor(
    readonly backend: QueueBackend,
    readonly onError: (error: Error) => void,
  ) {}

  /** Call it after every Nest application on it is closed. A second call returns the promise of the first. */
  close(): Promise<void> {
    return (this.#closed ??= this.backend.close());
  }
}

// BullMQ requests a backend from the default factory when Nest makes a `Queue` or a `Worker`, so neither is subclassed.
setDefaultBackendFactory(((name, options, use) => {
  const connection: unknown = options.connection;
  const create = connection instanceof QueueConnection ? connection.backend.create : createRedisBackend;
  return create(name, options, use);
}) satisfies BackendFactory);

/** Opens the queue and resolves when its store answers. Throws if neither address is given. */
export async function openQueue(options: QueueOptions): Promise<Result<QueueConnection, QueueFailure>> {
  let first: Error | undefined;
  const onError = (error: Error): void => {
    first ??= error;
    options.onError?.(error);
  };
  const backend =
    options.redisUrl !== undefined
      ? redisBackend(options.redisUrl, options.namespace ?? 'switchyard', onError)
      : postgresBackend(required(options.databaseUrl), onError);
  try {
    await within(options.answerMs ?? 10_000, backend.ping());
  } catch (error) {
    await backend.close();
    // Where the connection is refused, `error` says only that it is closed.
    return err(queueFailure('The queue does not answer', first ?? error));
  }
  return ok(new QueueConnection(backend, onError));
}

async function within(milliseconds: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const error = Object.assign(new Error('There was no answer in time.'), { code: 'ETIMEDOUT' });
    timer = setTimeout(() => reject(error), milliseconds);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function required(databaseUrl: string | undefined): string {
  if (databaseUrl === undefined) throw new TypeError('A queue needs redisUrl or databaseUrl.');
  return databaseUrl;
}
