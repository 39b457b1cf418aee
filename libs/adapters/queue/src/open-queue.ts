import { err, ok, type Result } from '@switchyard/values';
import { BullJobs } from './bull-jobs.js';
import { postgresStore } from './postgres-store.js';
import { queueFailure } from './queue-failure.js';
import { redisStore } from './redis-store.js';
import type { QueueFailure, JobQueue } from './queue-job.js';

export interface QueueOptions {
  /** `redis://` or `rediss://`. When given, the wake-ups are in Redis. */
  readonly redisUrl?: string;
  /** Without Redis: the database whose schema `bullmq` was prepared, as the plain application role. */
  readonly databaseUrl?: string;
  /** Told of lost connections and failing handlers. The queue itself recovers. */
  readonly onError?: (error: Error) => void;
  /** The first pause before a retry, in milliseconds. 500 when absent. */
  readonly firstRetryMs?: number;
  /** Redis alone: what our keys begin with, so that several can share a server. `switchyard` when absent. */
  readonly namespace?: string;
}

/** Opens the queue and resolves when its store answers. Throws when neither address is given. */
export async function openQueue(options: QueueOptions): Promise<Result<JobQueue, QueueFailure>> {
  const onError = options.onError ?? (() => undefined);
  const store =
    options.redisUrl !== undefined
      ? redisStore(options.redisUrl, options.namespace ?? 'switchyard', onError)
      : postgresStore(required(options.databaseUrl), onError);
  try {
    await store.ping();
  } catch (error) {
    await store.close();
    return err(queueFailure('The queue does not answer', error));
  }
  return ok(new BullJobs(store, onError, options.firstRetryMs ?? 500));
}

function required(databaseUrl: string | undefined): string {
  if (databaseUrl === undefined) throw new TypeError('A queue needs redisUrl or databaseUrl.');
  return databaseUrl;
}
