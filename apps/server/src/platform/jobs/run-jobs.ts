import type { EventFields } from '@switchyard/telemetry';
import type { JobStore, JobWait, JobWord, TakenJob } from '@switchyard/store';
import {
  authorize,
  withFewerPermissions,
  type PrincipalDirectory,
  type TenantScope,
} from '@switchyard/tenancy';
import type { Clock, Instant, Result } from '@switchyard/values';
import { principalCaller } from '../caller/principal-caller.js';
import { every } from '../lanes/every.js';
import type { PrincipalCaller } from '../tasks/call/task-call.js';
import type { JobFailure, JobKind, JobUnit, UnitEnd } from './job-kind.js';
import type { JobItems } from './job-items.js';
import { areaOf } from './shown-jobs.js';

export interface RunJobsDeps {
  readonly jobs: JobStore;
  readonly items: Pick<JobItems, 'open'>;
  readonly principals: Pick<PrincipalDirectory, 'record'>;
  /** Whether everything, or this principal, was stopped in an emergency. */
  readonly isStopped: (organizationId: string, principalId: string) => Promise<boolean> | boolean;
  readonly clock: Clock;
  readonly onUnexpected: (error: unknown, where: string) => void;
  /** Called with each job that has ended. */
  readonly onEnd?: (job: EventFields['job']) => void;
}

/** The time of one slice, in milliseconds: then the jobs of other organizations have their turn. */
const sliceMs = 2_000;
/** After so many milliseconds without a word from its worker, a job goes on elsewhere. */
const leaseMs = 30_000;
/** Slices in succession that end without progress, before the job fails. */
const failuresAtMost = 5;
const longestPauseMs = 60_000;
/** How long a job of a stopped principal waits before it is looked at again, in milliseconds. */
const stoppedMs = 30_000;

/** A kind together with what its units need. */
export interface RunnableKind {
  readonly kind: Pick<JobKind<never>, 'name' | 'needs' | 'waitsFor' | 'input' | 'cursor'>;
  readonly unit: (job: JobUnit<unknown, unknown>) => Promise<Result<UnitEnd<unknown>, JobFailure>>;
}

/** Binds kinds to their dependencies. */
export function runnable<Deps>(kinds: readonly JobKind<Deps>[], deps: Deps): readonly RunnableKind[] {
  return kinds.map((kind) => ({ kind, unit: (job) => kind.unit(deps, job) }));
}

/**
 * Runs jobs of one organization for the time of a slice, the one that has waited longest first. True if others may still
 * wait.
 */
export async function runJobs(
  deps: RunJobsDeps,
  kinds: readonly RunnableKind[],
  waitsFor: JobWait,
  scope: TenantScope,
  stopped: AbortSignal,
): Promise<boolean> {
  const { clock, jobs } = deps;
  const until = clock.now() + sliceMs;
  const own = kinds.filter(({ kind }) => kind.waitsFor === waitsFor);
  const wanted = { waitsFor, kinds: own.map(({ kind }) => kind.name), leaseMs };
  while (clock.now() < until && !stopped.aborted) {
    const job = await jobs.take(scope, { ...wanted, now: clock.now() });
    const found = own.find(({ kind }) => kind.name === job?.kind);
    if (job === undefined || found === undefined) return false;
    await new JobSlice(deps, scope, found, job, until, stopped).run();
  }
  return !stopped.aborted;
}

/** One worker's turn with one job. */
class JobSlice {
  readonly #ending = new AbortController();
  #word: JobWord = 'go_on';

  constructor(
    private readonly deps: RunJobsDeps,
    private readonly scope: TenantScope,
    private readonly runs: RunnableKind,
    private readonly job: TakenJob,
    private readonly until: Instant,
    private readonly stopped: AbortSignal,
  ) {}

  async run(): Promise<void> {
    const { job } = this;
    if (job.cancelRequestedAt !== undefined) return this.#end('canceled');
    if (job.failures > failuresAtMost)
      return this.#fail({
        code: 'GAVE_UP',
        message: `It was begun ${failuresAtMost} times without any progress.`,
      });
    if (await this.deps.isStopped(this.scope.organizationId, job.principalId))
      return this.#release(stoppedMs);
    const caller = await this.#caller();
    if (caller === undefined)
      return this.#fail({
        code: 'INSUFFICIENT_PERMISSIONS',
        message: `Whoever started it has no longer the permission ${this.runs.kind.needs}.`,
      });
    const input = this.runs.kind.input.safeParse(job.input);
    const cursor = this.runs.kind.cursor.safeParse(job.cursor);
    if (!input.success || !cursor.success)
      return this.#fail({
        code: 'UNREADABLE',
        message: 'This version of the program cannot read what was stored of it.',
      });
    const heartbeat = every(
      this.deps.clock,
      leaseMs / 3,
      async () => {
        this.#heard(await this.deps.jobs.extend(this.scope, job.lease, this.#at()));
      },
      (error) => this.deps.onUnexpected(error, `the lease of the job ${job.kind}`),
    );
    const end = (): void => this.#ending.abort();
    this.stopped.addEventListener('abort', end, { once: true });
    if (this.stopped.aborted) end();
    try {
      await this.#units(caller, input.data, cursor.data);
    } catch (error) {
      this.deps.onUnexpected(error, `the job ${job.kind}`);
      if (this.#word === 'stop') await this.#end('canceled');
      else await this.#release(Math.min(longestPauseMs, 1_000 * 2 ** job.failures), true);
    } finally {
      this.stopped.removeEventListener('abort', end);
      await heartbeat.stop();
    }
  }

  async #units(caller: PrincipalCaller, input: unknown, first: unknown): Promise<void> {
    const { job, scope } = this;
    let at: UnitEnd<unknown>['progress'] & object = { cursor: first, done: job.done };
    let { faults } = job;
    const save: JobUnit<unknown, unknown>['save'] = async (progress) => {
      at = { ...at, ...progress };
      faults += progress.faults?.length ?? 0;
      const stored = { ...progress, cursor: progress.cursor as never };
      return this.#heard(await this.deps.jobs.save(scope, job.lease, stored, this.#at()));
    };
    for (;;) {
      const ended = await this.runs.unit({
        scope,
        caller,
        lease: job.lease,
        leaseMs,
        input,
        cursor: at.cursor,
        done: at.done,
        total: at.total ?? job.total,
        faults,
        begunAt: job.lease.take > 1 ? job.startedAt : undefined,
        traceParent: job.traceParent,
        stopped: this.#ending.signal,
        isOver: () => this.deps.clock.now() >= this.until,
        items: (part) => this.deps.items.open(scope, job.id, part),
        save,
      });
      if (!ended.ok) return this.#fail(ended.error);
      const { progress, result } = ended.value;
      if (progress !== undefined) await save(progress);
      if (this.#word === 'lost') return;
      if (result !== undefined) return this.#end('succeeded', result);
      if (this.#word === 'stop') return this.#end('canceled');
      // A unit that stored its progress itself is read again with the next slice.
      const isOver = this.stopped.aborted || this.deps.clock.now() >= this.until;
      if (isOver || progress === undefined) return this.#release(0);
    }
  }

  /** The principal as it is now, with no more than the permissions of the request; undefined if it may not do this. */
  async #caller(): Promise<PrincipalCaller | undefined> {
    const found = await this.deps.principals.record(this.scope, { id: this.job.principalId });
    if (found === undefined || found.disabledAt !== undefined) return undefined;
    const caller = principalCaller(withFewerPermissions(found.principal, this.job.permissions));
    return authorize(caller, { access: 'credentials', ...areaOf(this.runs.kind.needs) }).ok
      ? caller
      : undefined;
  }

  #at() {
    return { now: this.deps.clock.now(), leaseMs };
  }

  #heard(word: JobWord): JobWord {
    if (word !== 'go_on') {
      this.#word = word;
      this.#ending.abort();
    }
    return word;
  }

  #release(pauseMs: number, hasFailed = false): Promise<void> {
    const now = this.deps.clock.now();
    return this.deps.jobs.release(this.scope, this.job.lease, { now, pauseMs, hasFailed });
  }

  #fail(error: JobFailure): Promise<void> {
    return this.#finish({ state: 'failed', error });
  }

  #end(state: 'succeeded' | 'canceled', result?: Parameters<JobStore['end']>[2]['result']): Promise<void> {
    return this.#finish({ state, ...(result !== undefined && { result }) });
  }

  async #finish(end: Parameters<JobStore['end']>[2]): Promise<void> {
    const { jobs, clock } = this.deps;
    const now = clock.now();
    await jobs.end(this.scope, this.job.lease, end, now);
    this.deps.onEnd?.({
      organization: this.scope.organizationId,
      job: this.job.id,
      kind: this.job.kind,
      outcome: end.state,
      duration_ms: now - (this.job.startedAt ?? this.job.createdAt),
      ...(end.error !== undefined && { code: end.error.code }),
    });
  }
}
