import { BullModule, getQueueToken } from '@nestjs/bullmq';
import { Inject, Module, type DynamicModule, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { Queue } from 'bullmq';
import type { QueueConnection } from './open-queue.js';

const options = Symbol('queue module options');

interface QueueModuleOptions {
  readonly connection: QueueConnection;
  readonly topics: readonly string[];
}

const longestPauseMs = 30_000;
/** With growing pauses up to 30 s: about ten minutes. After that, the scheduled sweeps of the tables find the work. */
const attempts = 25;

/** Options of every `@Processor`, beside its topic. A rejected handler is retried after growing pauses. */
export const workerOptions = (firstRetryMs = 500) => ({
  // If a handler's process is killed, BullMQ notices after 10 to 30 s and runs the job again, any number of times.
  // Until then its key is taken, and the sweep of the tables finds the rows.
  lockDuration: 10_000,
  stalledInterval: 10_000,
  maxStalledCount: 1_000,
  settings: {
    backoffStrategy: (made: number): number =>
      Math.min(longestPauseMs, firstRetryMs * 2 ** Math.max(0, made - 1)),
  },
});

/** The queues of an application, one per topic: `@InjectQueue(topic)` adds jobs, `@Processor(topic)` handles them. */
@Module({})
export class QueueModule implements OnModuleInit {
  constructor(
    @Inject(ModuleRef) private readonly modules: ModuleRef,
    @Inject(options) private readonly options: QueueModuleOptions,
  ) {}

  /** The connection stays open when the application closes. Close it afterwards. */
  static on(connection: QueueConnection, topics: readonly string[]): DynamicModule {
    const queues = BullModule.registerQueue(...topics.map((name) => ({ name })));
    return {
      module: QueueModule,
      imports: [
        BullModule.forRoot({
          connection,
          defaultJobOptions: {
            attempts,
            backoff: { type: 'custom' },
            removeOnComplete: true,
            removeOnFail: true,
          },
        }),
        queues,
      ],
      providers: [{ provide: options, useValue: { connection, topics } satisfies QueueModuleOptions }],
      exports: [queues],
    };
  }

  onModuleInit(): void {
    const { connection, topics } = this.options;
    // Without a listener, Node.js would end the process on an error event of a lost queue.
    for (const topic of topics)
      this.modules.get<Queue>(getQueueToken(topic), { strict: false }).on('error', connection.onError);
  }
}
