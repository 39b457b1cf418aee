import { randomUUID } from 'node:crypto';
import type { Job, JobsOptions, Queue, Worker } from 'bullmq';
import { err, ok, type Result } from '@switchyard/values';
import { queueFailure } from './queue-failure.js';
import type { JobData, QueueStore } from './queue-store.js';
import type { QueueFailure, QueueJob, QueueDepth, JobHandler, JobQueue } from './queue-job.js';

const longestPauseMs = 30_000;
/** With growing pauses up to 30 s: about ten minutes, after which the schedules that sweep the tables take over. */
const attempts = 25;

/** Wake-ups as BullMQ jobs: one BullMQ queue per topic. */
export class BullJobs implements JobQueue {
  readonly #store: QueueStore;
  readonly #onError: (error: Error) => void;
  readonly #firstRetryMs: number;
  readonly #queues = new Map<string, Queue<JobData>>();
  readonly #workers = new Map<string, Worker<JobData>>();
  #closing: Promise<void> | undefined;

  constructor(store: QueueStore, onError: (error: Error) => void, firstRetryMs: number) {
    this.#store = store;
    this.#onError = onError;
    this.#firstRetryMs = firstRetryMs;
  }

  async wake(
    topic: string,
    wakeUp: QueueJob,
    options: { readonly delayMs?: number } = {},
  ): Promise<Result<void, QueueFailure>> {
    const delay = Math.max(0, Math.ceil(options.delayMs ?? 0));
    const { organizationId, key } = wakeUp;
    const data: JobData = { organizationId, ...(key === undefined ? {} : { key }) };
    return this.#ask('A wake-up could not be queued', async () => {
      await this.#queue(topic).add(topic, data, jobOptions(data, delay));
    });
  }

  handle(
    topic: string,
    handler: JobHandler,
    { concurrency = 1 }: { readonly concurrency?: number } = {},
  ): Promise<Result<void, QueueFailure>> {
    if (this.#workers.has(topic)) throw new TypeError(`The topic ${topic} has a handler already.`);
    const run = (job: Job<JobData>): Promise<void> =>
      handler({ ...job.data, topic, attempt: job.attemptsMade + 1 });
    const pauseAfter = (made: number): number =>
      Math.min(longestPauseMs, this.#firstRetryMs * 2 ** Math.max(0, made - 1));
    return this.#ask('The handler could not be started', async () => {
      const worker = this.#store.worker(topic, run, { concurrency, pauseAfter });
      worker.on('error', this.#onError);
      worker.on('failed', (_job, error) => this.#onError(error));
      this.#workers.set(topic, worker);
      await worker.waitUntilReady();
    });
  }

  depths(): Promise<Result<readonly QueueDepth[], QueueFailure>> {
    const topics = [...new Set([...this.#queues.keys(), ...this.#workers.keys()])];
    return this.#ask('The queue could not be counted', () =>
      Promise.all(
        topics.map(async (topic) => {
          const counts = await this.#queue(topic).getJobCounts('waiting', 'delayed', 'active');
          const of = (state: string): number => counts[state] ?? 0;
          return { topic, waiting: of('waiting'), delayed: of('delayed'), active: of('active') };
        }),
      ),
    );
  }

  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    await Promise.allSettled([...this.#workers.values()].map((worker) => worker.close()));
    await Promise.allSettled([...this.#queues.values()].map((queue) => queue.close()));
    await this.#store.close();
  }

  #queue(topic: string): Queue<JobData> {
    const known = this.#queues.get(topic);
    if (known !== undefined) return known;
    const queue = this.#store.queue(topic);
    // Without a listener an error event would end the process: a lost queue must not.
    queue.on('error', this.#onError);
    this.#queues.set(topic, queue);
    return queue;
  }

  async #ask<T>(what: string, question: () => Promise<T>): Promise<Result<T, QueueFailure>> {
    if (this.#closing !== undefined) return err({ code: 'queue_unavailable', message: `${what} (closed).` });
    try {
      return ok(await question());
    } catch (error) {
      return err(queueFailure(what, error));
    }
  }
}

function jobOptions(data: JobData, delay: number): JobsOptions {
  const id = deduplicationId(data, delay);
  return {
    // BullMQ would count ids in a sequence per queue, which on PostgreSQL only an owner of the schema may create.
    jobId: randomUUID(),
    attempts,
    backoff: { type: 'custom' },
    removeOnComplete: true,
    removeOnFail: true,
    ...(delay === 0 ? {} : { delay }),
    // A wake-up that comes while its key is being handled runs once more afterwards: the handler may have read its
    // rows before the new one was there.
    ...(id === undefined ? {} : { deduplication: { id, keepLastIfActive: true } }),
  };
}

/**
 * A delayed wake-up has an identity of its own, by the second it falls due in: sharing one with the others, it would
 * swallow those that should run before it.
 */
function deduplicationId({ organizationId, key }: JobData, delay: number): string | undefined {
  if (key === undefined) return undefined;
  const now = `${organizationId}/${key}`;
  return delay === 0 ? now : `${now}@${Math.ceil((Date.now() + delay) / 1_000)}`;
}
