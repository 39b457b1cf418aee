export { openQueue, type QueueOptions } from './open-queue.js';
export { prepareQueueSchema, type QueueSchemaOptions } from './prepare-queue-schema.js';
export type {
  QueueFailure,
  QueueJob as QueueJob,
  JobDelivery as JobDelivery,
  QueueDepth as QueueDepth,
  JobHandler as JobHandler,
  JobQueue as JobQueue,
} from './queue-job.js';
