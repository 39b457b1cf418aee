import { getQueueToken } from '@nestjs/bullmq';
import { Inject, Module, type BeforeApplicationShutdown, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { enqueueJob, QueueModule, type JobQueue, type QueueConnection } from '@switchyard/queue';
import type { JobWait } from '@switchyard/store';
import { InboxModule, inboxTopic } from '../webhooks/in/inbox.module.js';
import { JOBS, JobsModule, jobsTopic } from '../platform/jobs/jobs.module.js';
import { Lanes } from '../platform/lanes/lanes.js';
import { NOTICES, NoticesWorkerModule } from '../notices/notices-worker.module.js';
import { LegsModule } from '../buys/legs/legs.module.js';
import { DISPATCH, DISPATCH_DEPS, OutboxModule } from '../webhooks/out/outbox.module.js';
import type { Dispatch } from '../webhooks/out/dispatch-events.js';
import type { Rounds } from '../platform/lanes/every.js';
import { SCHEDULED_JOBS, SchedulesModule } from './schedules.module.js';
import { WORKERS } from '../platform/lanes/workers-context.js';
import type { BackgroundContext } from './background-context.js';

const topics = [inboxTopic, jobsTopic];

/** All background work. */
@Module({})
class WorkersModule implements BeforeApplicationShutdown {
  constructor(
    @Inject(WORKERS) private readonly context: BackgroundContext,
    @Inject(Lanes) private readonly lanes: Lanes,
    @Inject(DISPATCH) private readonly dispatch: Dispatch,
    @Inject(SCHEDULED_JOBS) private readonly scheduledJobs: Rounds,
  ) {}

  static on(queue: QueueConnection, context: BackgroundContext): DynamicModule {
    return {
      module: WorkersModule,
      global: true,
      imports: [
        QueueModule.on(queue, topics),
        InboxModule,
        JobsModule,
        LegsModule,
        NoticesWorkerModule,
        OutboxModule,
        SchedulesModule,
      ],
      providers: [
        { provide: WORKERS, useValue: context },
        { provide: DISPATCH_DEPS, useValue: context.dispatch },
        { provide: JOBS, useValue: context.jobs },
        { provide: NOTICES, useValue: context.notices },
        Lanes,
      ],
      exports: [WORKERS, DISPATCH_DEPS, JOBS, NOTICES, Lanes],
    };
  }

  /** Nest closes the queue after it, so another process takes a job that is left. */
  async beforeApplicationShutdown(): Promise<void> {
    const { stopWithinMs, workers } = this.context;
    const parts = [this.lanes.stop(), this.scheduledJobs.stop(), this.dispatch.stop()];
    let cancel = (): void => undefined;
    const late = new Promise<void>((resolve) => {
      cancel = workers.ports.clock.after(stopWithinMs, () => {
        const left = this.lanes.running();
        const text = left.length === 0 ? 'a statement that the database did not answer' : left.join(', ');
        workers.onUnexpected(new Error(`Not finished in time: ${text}`), 'stopping the workers');
        resolve();
      });
    });
    // A part that fails has stopped; the others are still awaited.
    await Promise.race([Promise.allSettled(parts), late]);
    cancel();
  }
}

export interface Background {
  /** Adds a job that makes a process of the queue read an organization's inbox at once. */
  readonly notifyInbox: (organizationId: string) => void;
  /** The same for an organization's jobs. */
  readonly wakeJobs: (organizationId: string, waitsFor: JobWait) => void;
  /**
   * Starts nothing more, drops waiting work, and resolves when running work has ended, or when its time is over.
   * Unfinished work is in rows, and the next process continues it.
   */
  stop(): Promise<void>;
}

/** Opens this process's connection to the queue, and starts all background work if it has a context. */
export async function startBackground(
  queue: QueueConnection,
  context?: BackgroundContext,
): Promise<Background> {
  const module = context === undefined ? QueueModule.on(queue, topics) : WorkersModule.on(queue, context);
  const options = { logger: false, abortOnError: false } as const;
  // Nest types its options as a class and accepts any object of that shape.
  const app = await NestFactory.createApplicationContext(module, options);
  const inbox = app.get<JobQueue>(getQueueToken(inboxTopic));
  const jobs = app.get<JobQueue>(getQueueToken(jobsTopic));
  return {
    notifyInbox: (organizationId) => {
      void enqueueJob(inbox, { organizationId, key: 'inbox' });
    },
    wakeJobs: (organizationId, waitsFor) => {
      void enqueueJob(jobs, { organizationId, key: waitsFor });
    },
    stop: () => app.close(),
  };
}
