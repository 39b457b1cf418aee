import { randomUUID } from 'node:crypto';
import type { Queue } from 'bullmq';
import { err, ok, type Result } from '@switchyard/values';
import { queueFailure, type QueueFailure } from './queue-failure.js';

/**
 * A hint that some rows want attention. It carries no work: whoever takes it claims rows from the database, and a
 * schedule finds them without any hint. So losing every job costs time, never data. BullMQ gets nothing more to carry:
 * nothing that a log must not show.
 */
export interface JobData {
  /** UUID. */
  readonly organizationId: string;
  /** What wants attention, for example a leg's id. Jobs of one key are merged while they wait. */
  readonly key?: string;
}

export type JobQueue = Queue<JobData>;

/**
 * Adds a job, to run now or after `delayMs`. One without a delay is merged with one of the same topic, tenant and key
 * that has not started; one that has started is followed by another run. Delayed ones are merged when they fall due in
 * the same second, and never hold back an earlier one. Never rejects: a queue that cannot be reached is a value, and the
 * caller's work goes on.
 */
export async function enqueueJob(
  queue: JobQueue,
  { organizationId, key }: JobData,
  { delayMs = 0 }: { readonly delayMs?: number } = {},
): Promise<Result<void, QueueFailure>> {
  const failed = 'A job could not be queued';
  // On PostgreSQL BullMQ never settles what is asked of a closed queue.
  if (queue.closing !== undefined) return err(queueFailure(failed, { code: 'closed' }));
  const delay = Math.max(0, Math.ceil(delayMs));
  // A delayed job has an identity of its own, by the second it falls due in: sharing one with the others, it would
  // swallow those that should run before it.
  const due = delay === 0 ? '' : `@${Math.ceil((Date.now() + delay) / 1_000)}`;
  try {
    await queue.add(
      queue.name,
      { organizationId, ...(key === undefined ? {} : { key }) },
      {
        // BullMQ would count ids in a sequence per queue, which on PostgreSQL only an owner of the schema may create.
        jobId: randomUUID(),
        ...(delay === 0 ? {} : { delay }),
        // A job that comes while its key is being handled runs once more afterwards: the handler may have read its
        // rows before the new one was there.
        ...(key === undefined
          ? {}
          : { deduplication: { id: `${organizationId}/${key}${due}`, keepLastIfActive: true } }),
      },
    );
    return ok(undefined);
  } catch (error) {
    return err(queueFailure(failed, error));
  }
}
