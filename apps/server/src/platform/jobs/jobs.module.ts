import { OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { Inject, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { workerOptions, type JobData } from '@switchyard/queue';
import type { JobFiles, JobWait } from '@switchyard/store';
import { Lanes, type Lane } from '../lanes/lanes.js';
import { WORKERS, type WorkersContext } from '../lanes/workers-context.js';
import { runJobs, type RunJobsDeps, type RunnableKind } from './run-jobs.js';

/** The topic of hints that name organizations with new jobs; the key of a hint is what the job waits for. */
export const jobsTopic = 'jobs';

/** Token of the jobs that this process runs. */
export const JOBS = Symbol('jobs');

export interface JobsContext extends RunJobsDeps {
  readonly kinds: readonly RunnableKind[];
  readonly jobFiles: Pick<JobFiles, 'forget'>;
}

/** How long ended jobs are kept, in milliseconds: 30 days. */
const retentionMs = 30 * 24 * 3_600_000;
/** Files that one process writes at once. Each holds a database connection until it is whole. */
const filesAtOnce = 2;

/** Runs jobs: at once after a hint, and otherwise when a scheduled check finds them due. */
@Processor(jobsTopic, workerOptions())
export class JobsProcessor extends WorkerHost implements OnApplicationBootstrap {
  readonly #lanes: Readonly<Record<JobWait, Lane>>;

  constructor(
    @Inject(WORKERS) private readonly context: WorkersContext,
    @Inject(JOBS) private readonly jobs: JobsContext,
    @Inject(Lanes) private readonly lanes: Lanes,
  ) {
    super();
    const { clock } = jobs;
    this.#lanes = {
      database: this.#lane('database', { name: 'jobs', everyMs: 1_000, due: () => ({ jobs: clock.now() }) }),
      sellers: this.#lane('sellers', {
        name: 'jobs at sellers',
        everyMs: 1_000,
        waitsFor: 'sellers',
        due: () => ({ jobs_at_sellers: clock.now() }),
      }),
      files: this.#lane('files', {
        name: 'jobs with files',
        everyMs: 1_000,
        atOnce: filesAtOnce,
        due: () => ({ jobs_with_files: clock.now() }),
      }),
    };
    lanes.add(...Object.values(this.#lanes), {
      name: 'deleting files of jobs',
      everyMs: 60_000,
      due: () => ({ old_job_files: clock.now() }),
      visit: async (scope) => {
        await jobs.jobFiles.forget(scope, clock.now());
      },
    });
    lanes.add({
      name: 'deleting old jobs',
      everyMs: 60_000,
      due: () => ({ old_jobs: clock.now() - retentionMs }),
      visit: async (scope) => {
        await jobs.jobs.forget(scope, clock.now() - retentionMs);
      },
    });
  }

  onApplicationBootstrap(): void {
    this.worker.concurrency = this.context.atOnce;
  }

  process({ data: { organizationId, key } }: { readonly data: JobData }): Promise<void> {
    const { database, sellers, files } = this.#lanes;
    const lane = key === 'sellers' ? sellers : key === 'files' ? files : database;
    return this.lanes.request(lane, organizationId);
  }

  @OnWorkerEvent('error')
  onError(error: Error): void {
    this.context.workers.onUnexpected(error, 'the queue');
  }

  @OnWorkerEvent('failed')
  onFailed(_job: unknown, error: Error): void {
    this.onError(error);
  }

  /** An organization with more jobs than fit into a slice goes behind all others that wait. */
  #lane(waitsFor: JobWait, lane: Omit<Lane, 'visit'>): Lane {
    const own: Lane = {
      ...lane,
      visit: async (scope, stopped) => {
        if (!(await runJobs(this.jobs, this.jobs.kinds, waitsFor, scope, stopped))) return;
        this.lanes
          .request(own, scope.organizationId)
          .catch((error: unknown) => this.jobs.onUnexpected(error, own.name));
      },
    };
    return own;
  }
}

@Module({ providers: [JobsProcessor] })
export class JobsModule {}
