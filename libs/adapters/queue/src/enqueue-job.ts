import { randomUUID } from 'node:crypto';
import type { Queue } from 'bullmq';
import { err, ok, type Result } from '@switchyard/values';
import { queueFailure, type QueueFailure } from './queue-failure.js';

/**
 * A hint that some rows are due. It carries no work: its worker claims rows in the database, and a schedule finds them
 * without a hint. So the loss of every job costs time, never data. BullMQ stores nothing else, so nothing that logs
 * must not show.
 */
export interface JobData {
  /** UUID. */
  readonly organizationId: string;
  /** What is due, for example the id of a leg. Waiting jobs with the same key are merged. */
  readonly key?: string;
}

export type JobQueue = Queue<JobData>;

/**
 * Adds a job. It is merged with a waiting one of the same topic, tenant and key; if that one runs already, another run
 * follows. Never rejects: an unreachable queue is a failure value.
 */
export async function enqueueJob(
  queue: JobQueue,
  { organizationId, key }: JobData,
): Promise<Result<void, QueueFailure>> {
  const failed = 'A job could not be queued';
  // On PostgreSQL, BullMQ never settles a call on a closed queue.
  if (queue.closing !== undefined) return err(queueFailure(failed, { code: 'closed' }));
  try {
    await queue.add(
      queue.name,
      { organizationId, ...(key === undefined ? {} : { key }) },
      {
        // Without an id BullMQ uses a sequence per queue, which on PostgreSQL only the owner of the schema may create.
        jobId: randomUUID(),
        // A job that is added while its key is handled runs once more afterwards: the handler may have read its rows
        // before the new row existed.
        ...(key === undefined
          ? {}
          : { deduplication: { id: `${organizationId}/${key}`, keepLastIfActive: true } }),
      },
    );
    return ok(undefined);
  } catch (error) {
    return err(queueFailure(failed, error));
  }
}
