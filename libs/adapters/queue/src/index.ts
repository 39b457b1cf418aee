export { enqueueJob, type JobData, type JobQueue } from './enqueue-job.js';
export { openQueue, type QueueConnection } from './open-queue.js';
export { prepareQueueSchema } from './prepare-queue-schema.js';
export { QueueModule, workerOptions } from './queue.module.js';
export { openExchange, type Exchange } from './redis-exchange.js';
export { inspectRedis } from './inspect-redis.js';
