import type { Job, Queue, Worker } from 'bullmq';

/** What BullMQ gets to carry: nothing that a log must not show. */
export interface JobData {
  readonly organizationId: string;
  readonly key?: string;
}

export interface WorkerSettings {
  readonly concurrency: number;
  /** The pause before the next attempt, in milliseconds. */
  readonly pauseAfter: (attemptsMade: number) => number;
}

/** BullMQ on one kind of store. One connection pool per process, whatever the number of topics. */
export interface QueueStore {
  queue(topic: string): Queue<JobData>;
  worker(topic: string, run: (job: Job<JobData>) => Promise<void>, settings: WorkerSettings): Worker<JobData>;
  /** Rejects when the store does not answer. */
  ping(): Promise<void>;
  /** After all queues and workers are closed. */
  close(): Promise<void>;
}

/** What every worker is told, wherever its jobs are. */
export function workerOptions({ concurrency, pauseAfter }: WorkerSettings) {
  return {
    concurrency,
    // A handler whose process was killed is missed after 10 to 30 s. Its wake-up then runs again, however often that
    // happened; until then its key is taken, and the sweep of the tables stands in.
    lockDuration: 10_000,
    stalledInterval: 10_000,
    maxStalledCount: 1_000,
    settings: { backoffStrategy: pauseAfter },
  };
}
