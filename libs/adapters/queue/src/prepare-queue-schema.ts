import type { Result } from '@switchyard/values';
import type { QueueFailure } from './wake-up.js';

export interface QueueSchemaOptions {
  /** A role that may create schemas in the database. */
  readonly ownerUrl: string;
  /** The plain role that the queues will connect as. It gets rows and functions, not ownership. */
  readonly applicationRole: string;
}

/** Creates or upgrades the schema `bullmq` and grants it. Run by the migration step, before any queue is opened. */
export function prepareQueueSchema(options: QueueSchemaOptions): Promise<Result<void, QueueFailure>> {
  return Promise.reject(new Error(`not written yet: ${options.applicationRole}`));
}
