import type { Result } from '@switchyard/values';
import type { QueueFailure, WakeUpQueue } from './wake-up.js';

export interface QueueOptions {
  /** `redis://` or `rediss://`. When given, the wake-ups are in Redis. */
  readonly redisUrl?: string;
  /** Without Redis: the database whose schema `bullmq` was prepared, as the plain application role. */
  readonly databaseUrl?: string;
  /** Told of lost connections and failing handlers. The queue itself recovers. */
  readonly onError?: (error: Error) => void;
  /** The first pause before a retry, in milliseconds. 500 when absent. */
  readonly firstRetryMs?: number;
}

/** Opens the queue and resolves when its store answers. */
export function openQueue(options: QueueOptions): Promise<Result<WakeUpQueue, QueueFailure>> {
  return Promise.reject(new Error(`not written yet: ${typeof options}`));
}
