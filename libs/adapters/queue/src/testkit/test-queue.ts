import { getQueueToken, OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Job, Queue } from 'bullmq';
import { must, type Result } from '@switchyard/values';
import { enqueueJob, type JobData } from '../enqueue-job.js';
import { openQueue, type QueueOptions } from '../open-queue.js';
import type { QueueFailure } from '../queue-failure.js';
import { QueueModule, workerOptions } from '../queue.module.js';

export interface JobDelivery extends JobData {
  readonly topic: string;
  /** 1 on the first attempt. */
  readonly attempt: number;
}

export type JobHandler = (delivery: JobDelivery) => Promise<void>;

interface QueueDepth {
  readonly waiting: number;
  readonly delayed: number;
  readonly active: number;
}

/** One process on the store: a Nest application per topic, because topics are static. */
export interface TestQueue {
  enqueue(topic: string, job: JobData): Promise<Result<void, QueueFailure>>;
  handle(topic: string, handler: JobHandler, concurrency?: number): Promise<void>;
  depth(topic: string): Promise<QueueDepth>;
  /** Waits for the running handlers, then closes every connection. */
  close(): Promise<void>;
}

export async function openTestQueue(options: QueueOptions): Promise<TestQueue> {
  const connection = must(await openQueue(options));
  const apps: INestApplicationContext[] = [];
  const start = async (module: DynamicModule): Promise<INestApplicationContext> => {
    const options = { logger: false, abortOnError: false } as const;
    // Nest types its options as a class and takes any object of that form.
    const app = await NestFactory.createApplicationContext(module, options);
    apps.push(app);
    return app;
  };
  const producers = new Map<string, Promise<INestApplicationContext>>();
  const queueOf = async (topic: string): Promise<Queue<JobData>> => {
    const app = producers.get(topic) ?? start(QueueModule.on(connection, [topic]));
    producers.set(topic, app);
    return (await app).get<Queue<JobData>>(getQueueToken(topic));
  };
  return {
    enqueue: async (topic, job) => enqueueJob(await queueOf(topic), job),
    handle: async (topic, handler, concurrency = 1) => {
      const TopicProcessor = processorOf(topic, handler, concurrency, connection.onError);
      const app = await start({
        module: class Handling {},
        imports: [QueueModule.on(connection, [topic])],
        providers: [TopicProcessor],
      });
      await app.get(TopicProcessor).worker.waitUntilReady();
    },
    depth: async (topic) => {
      const counts = await (await queueOf(topic)).getJobCounts('waiting', 'delayed', 'active');
      const of = (state: string): number => counts[state] ?? 0;
      return { waiting: of('waiting'), delayed: of('delayed'), active: of('active') };
    },
    close: async () => {
      await Promise.all(apps.map((app) => app.close()));
      await connection.close();
    },
  };
}

function processorOf(
  topic: string,
  handler: JobHandler,
  concurrency: number,
  onError: (error: Error) => void,
) {
  @Processor(topic, { ...workerOptions(20), concurrency })
  class TopicProcessor extends WorkerHost {
    process(job: Job<JobData>): Promise<void> {
      return handler({ ...job.data, topic: job.queueName, attempt: job.attemptsMade + 1 });
    }

    @OnWorkerEvent('error')
    onError(error: Error): void {
      onError(error);
    }

    @OnWorkerEvent('failed')
    onFailed(_job: unknown, error: Error): void {
      onError(error);
    }
  }
  return TopicProcessor;
}
