export { openQueue, type QueueOptions } from './open-queue.js';
export { prepareQueueSchema, type QueueSchemaOptions } from './prepare-queue-schema.js';
export type {
  QueueFailure,
  WakeUp,
  WakeUpDelivery,
  WakeUpDepth,
  WakeUpHandler,
  WakeUpQueue,
} from './wake-up.js';
