import type { Permissions, Reach, TenantScope } from '@switchyard/tenancy';
import type { Instant, JsonObject, JsonValue, PageRead } from '@switchyard/values';
import type { ListSort, TimeFilter } from '@switchyard/tenancy';

export const jobStates = ['waiting', 'running', 'succeeded', 'failed', 'canceled'] as const;
export type JobState = (typeof jobStates)[number];

/** What the units of a kind mostly wait for. Each has a lane of its own, so slow sellers and long files hold up no other work. */
export type JobWait = 'database' | 'sellers' | 'files';

/** A job as people see it. */
export interface JobRecord {
  /** UUID. */
  readonly id: string;
  readonly kind: string;
  readonly state: JobState;
  /** UUID of the principal that started it. */
  readonly principalId: string;
  /** The objects that it is about; absent: the organization's. */
  readonly clientId?: string;
  readonly brandDomain?: string;
  readonly campaignId?: string;
  readonly phase?: string;
  readonly done: number;
  /** Items in all; absent while nobody knows. */
  readonly total?: number;
  readonly result?: JsonObject;
  readonly errorCode?: string;
  readonly errorMessage?: string;
  /** Items that failed. */
  readonly faults: number;
  readonly cancelRequestedAt?: Instant;
  readonly createdAt: Instant;
  readonly startedAt?: Instant;
  readonly progressAt?: Instant;
  readonly endedAt?: Instant;
  /** The answer that it has written; absent after its end. */
  readonly file?: JobFile;
}

/** The answer of a request that a job did. */
export interface JobFile {
  readonly bytes: number;
  /** Hexadecimal, of these bytes. */
  readonly sha256: string;
  /** When it is deleted. */
  readonly endsAt: Instant;
}

/** A job to start. */
export interface NewJob extends Pick<
  JobRecord,
  'id' | 'kind' | 'principalId' | 'clientId' | 'brandDomain' | 'campaignId' | 'phase' | 'total' | 'createdAt'
> {
  readonly waitsFor: JobWait;
  readonly input: JsonValue;
  readonly cursor: JsonValue;
  /** Those of the request that started it. */
  readonly permissions: Permissions;
  /** Credentials that hold its items, in their order. */
  readonly items: readonly string[];
  /** No worker takes it before; at once unless set. */
  readonly dueAt?: Instant;
  /** It starts another one each day: nothing is stored while one of its kind has not ended. */
  readonly isDaily?: true;
}

/** One worker's hold on a job. It ends when another worker takes the job, or when the job ends. */
export interface JobLease {
  readonly jobId: string;
  /** The number of this lease among those of the job. */
  readonly take: number;
}

/** A job that a worker has taken. */
export interface TakenJob extends JobRecord {
  readonly lease: JobLease;
  readonly input: unknown;
  readonly cursor: unknown;
  readonly permissions: Permissions;
  /** Slices in succession without progress, this one included. */
  readonly failures: number;
  /** The trace in which it was started. */
  readonly traceParent?: string;
}

/** An item that failed. */
export interface JobFault {
  /** Of the item, from 0. */
  readonly position: number;
  /** Its name, for people. */
  readonly item: string;
  readonly code: string;
  readonly message: string;
}

/** The progress of a unit. */
export interface JobProgress {
  readonly cursor: JsonValue;
  readonly done: number;
  readonly total?: number;
  readonly phase?: string;
  readonly faults?: readonly JobFault[];
}

export interface JobEnd {
  readonly state: Extract<JobState, 'succeeded' | 'failed' | 'canceled'>;
  readonly result?: JsonObject;
  readonly error?: { readonly code: string; readonly message: string };
}

/** What a worker does next: `stop` if somebody canceled the job, `lost` if another worker has it. */
export type JobWord = 'go_on' | 'stop' | 'lost';

/** Jobs of these kinds, within one reach. */
export interface JobsShown {
  readonly kinds: readonly string[];
  readonly reach: Reach;
}

interface JobFilter extends TimeFilter {
  /** A job is shown if one of them shows it. */
  readonly shown: readonly JobsShown[];
  readonly kind?: string;
  readonly state?: JobState;
  readonly sort?: ListSort;
}

/** Long work in PostgreSQL: the row is the truth, and whoever holds its lease moves it on. */
export interface JobStore {
  /** Returns the id of the daily job that is there, and stores nothing then. */
  insert(scope: TenantScope, job: NewJob): Promise<string | undefined>;
  /** Newest first by default; the key is `[createdAt, id]`. */
  list(scope: TenantScope, filter: JobFilter & PageRead): Promise<readonly JobRecord[]>;
  find(scope: TenantScope, id: string, shown: readonly JobsShown[]): Promise<JobRecord | undefined>;
  /** In the order of the items; the key is `[position]`. */
  faults(scope: TenantScope, jobId: string, page: PageRead): Promise<readonly JobFault[]>;
  /** Leases the job that has waited longest, of one of these kinds. */
  take(
    scope: TenantScope,
    wanted: {
      readonly waitsFor: JobWait;
      readonly kinds: readonly string[];
      readonly now: Instant;
      readonly leaseMs: number;
    },
  ): Promise<TakenJob | undefined>;
  /** Stores the progress of a unit and extends the lease. Progress that comes after its lease is not stored. */
  save(
    scope: TenantScope,
    lease: JobLease,
    progress: JobProgress,
    at: { readonly now: Instant; readonly leaseMs: number },
  ): Promise<JobWord>;
  /** The same, and starts another job in the same transaction, unless it is to stop. */
  follow(
    scope: TenantScope,
    lease: JobLease,
    progress: JobProgress,
    next: NewJob,
    at: { readonly now: Instant; readonly leaseMs: number },
  ): Promise<JobWord>;
  /** Extends the lease during a long unit. */
  extend(
    scope: TenantScope,
    lease: JobLease,
    at: { readonly now: Instant; readonly leaseMs: number },
  ): Promise<JobWord>;
  /** Gives the job back: another slice follows after `pauseMs`. A slice that failed counts against the job. */
  release(
    scope: TenantScope,
    lease: JobLease,
    at: { readonly now: Instant; readonly pauseMs: number; readonly hasFailed: boolean },
  ): Promise<void>;
  /** False if the lease was lost, and nothing is stored. */
  end(scope: TenantScope, lease: JobLease, end: JobEnd, now: Instant): Promise<boolean>;
  /**
   * Asks a running job to stop after its unit; one that no worker holds is canceled at once. False if it has ended or
   * is not shown.
   */
  cancel(scope: TenantScope, id: string, now: Instant): Promise<boolean>;
  /**
   * Starts a job again that failed, was canceled, or has items that failed. `from` gets where it stood and the positions
   * of the failed items, and returns where to go on; with `forgets`, those items count as not done yet. False if there is
   * nothing to repeat.
   */
  retry(
    scope: TenantScope,
    id: string,
    now: Instant,
    from: (
      cursor: unknown,
      failed: readonly number[],
    ) => { readonly cursor: unknown; readonly forgets: boolean },
  ): Promise<boolean>;
  /** The credential that holds a part of the items. */
  itemsOf(scope: TenantScope, jobId: string, part: number): Promise<string | undefined>;
  /** Deletes jobs that ended before an instant, with their faults and items. Returns how many. */
  forget(scope: TenantScope, before: Instant): Promise<number>;
}
