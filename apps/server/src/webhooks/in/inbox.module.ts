import { OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { Inject, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { workerOptions, type JobData } from '@switchyard/queue';
import { Lanes, type Lane } from '../../platform/lanes/lanes.js';
import { EndedBuys, LegsModule } from '../../buys/index.js';
import { WORKERS, type WorkersContext } from '../../platform/lanes/workers-context.js';
import { applyInbox } from './apply-inbox.js';

/** The topic of jobs that name inboxes with new events. Jobs may be lost, doubled or late. */
export const inboxTopic = 'inbox';

/** Reads a tenant's inbox at once after a job, and otherwise when a scheduled check finds it due. */
@Processor(inboxTopic, workerOptions())
class InboxProcessor extends WorkerHost implements OnApplicationBootstrap {
  readonly #lane: Lane;

  constructor(
    @Inject(WORKERS) private readonly context: WorkersContext,
    @Inject(Lanes) private readonly lanes: Lanes,
    @Inject(EndedBuys) endedBuys: EndedBuys,
  ) {
    super();
    const { workers } = context;
    const { clock } = workers.ports;
    this.#lane = {
      name: inboxTopic,
      everyMs: 1_000,
      due: () => ({ inbox: clock.now(), changes: clock.now() }),
      visit: async (scope) =>
        endedBuys.follow(scope.organizationId, (await applyInbox(workers, scope)).ended),
    };
    lanes.add(this.#lane);
  }

  onApplicationBootstrap(): void {
    this.worker.concurrency = this.context.atOnce;
  }

  process({ data }: { readonly data: JobData }): Promise<void> {
    return this.lanes.request(this.#lane, data.organizationId);
  }

  @OnWorkerEvent('error')
  onError(error: Error): void {
    this.context.workers.onUnexpected(error, 'the queue');
  }

  @OnWorkerEvent('failed')
  onFailed(_job: unknown, error: Error): void {
    this.onError(error);
  }
}

@Module({ imports: [LegsModule], providers: [InboxProcessor] })
export class InboxModule {}
