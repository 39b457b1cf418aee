export { enqueueJob, type JobData, type JobQueue } from './enqueue-job.js';
export { openQueue, type QueueConnection, type QueueOptions } from './open-queue.js';
export { prepareQueueSchema, type QueueSchemaOptions } from './prepare-queue-schema.js';
export { QueueModule, workerOptions } from './queue.module.js';
export type { QueueFailure } from './queue-failure.js';
