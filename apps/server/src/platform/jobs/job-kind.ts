import type { JobFault, JobLease, JobProgress, JobWait, JobWord } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant, JsonObject, JsonValue, Result } from '@switchyard/values';
import type { z } from 'zod';
import type { Permission } from '../routes/route.js';
import type { PrincipalCaller } from '../tasks/call/task-call.js';

/** Why a job cannot go on. */
export interface JobFailure {
  readonly code: string;
  /** For people. It contains no secret. */
  readonly message: string;
}

interface Progress<Cursor> extends Omit<JobProgress, 'cursor'> {
  readonly cursor: Cursor;
}

/** One unit of a job, as its handler sees it. */
export interface JobUnit<Input, Cursor> {
  readonly scope: TenantScope;
  /** Who started it, with the permissions of that request that the principal still has. */
  readonly caller: PrincipalCaller;
  /** For a repository that stores the progress together with the rows of the unit (`saveJob` of the store). */
  readonly lease: JobLease;
  readonly leaseMs: number;
  readonly input: Input;
  readonly cursor: Cursor;
  readonly done: number;
  readonly total: number | undefined;
  /** Items that have failed so far. */
  readonly faults: number;
  /** When a worker began it first, if it is begun again. */
  readonly begunAt: Instant | undefined;
  /** The trace in which it was started, where that was recorded. */
  readonly traceParent: string | undefined;
  /** Aborted when somebody cancels the job, when its lease is lost, and when the process stops. */
  readonly stopped: AbortSignal;
  /** True when the time of the slice is over: a unit of many steps ends with the present one. */
  isOver(): boolean;
  /** A part of its items, from 0; each part but the last has `itemsPerPart`. */
  items(part: number): Promise<readonly JsonValue[]>;
  /** Stores progress within a unit of several steps. */
  save(progress: Progress<Cursor>): Promise<JobWord>;
}

/** How a unit ended. */
export interface UnitEnd<Cursor> {
  /** Absent if the unit has stored its progress itself. */
  readonly progress?: Progress<Cursor>;
  /** Of the whole job, which has then ended. */
  readonly result?: JsonObject;
}

interface JobSpec<Deps, Input extends z.ZodType, Cursor extends z.ZodType> {
  /** For example `import_sellers`. It is stored: a kind is never renamed. */
  readonly name: string;
  /** For people: `Import of sellers`. */
  readonly title: string;
  /** The permission to start, cancel and repeat it. Who may read in the same area sees it, within his reach. */
  readonly needs: Permission;
  readonly waitsFor: JobWait;
  /** No program that acts for a person reads its file. */
  readonly byPerson?: boolean;
  /** Another person approved it, with a time to wait: once canceled it is asked for again, and never repeated. */
  readonly isApproved?: boolean;
  /** Without secrets. Secrets belong into items, which are sealed. */
  readonly input: Input;
  /** Where a unit begins. It is read by the next version of the program too. */
  readonly cursor: Cursor;
  readonly first: z.output<Cursor>;
  /** The cursor that repeats failed items, for a kind whose items can be repeated. */
  readonly again?: (cursor: z.output<Cursor>, failed: readonly number[]) => z.output<Cursor>;
  /**
   * Does a part of the work, at most two seconds of it, and says where the next unit begins. What it throws is repeated a
   * few times, from the last stored progress. It may run again after a crash, so a unit that has no transaction of its
   * own must be safe to repeat.
   */
  readonly unit: (
    deps: Deps,
    job: JobUnit<z.output<Input>, z.output<Cursor>>,
  ) => Promise<Result<UnitEnd<z.output<Cursor>>, JobFailure>>;
}

/** A kind of job without the types of its schemas, as the table holds it. */
export interface JobKind<Deps> extends Omit<JobSpec<Deps, z.ZodType, z.ZodType>, 'again' | 'unit'> {
  readonly again?: (cursor: unknown, failed: readonly number[]) => unknown;
  readonly unit: (
    deps: Deps,
    job: JobUnit<unknown, unknown>,
  ) => Promise<Result<UnitEnd<unknown>, JobFailure>>;
}

/** A kind, for code that does not run it. */
export type AnyJobKind = JobKind<never>;

/** Items of one sealed part. */
export const itemsPerPart = 100;

export type { JobFault };

/** Returns the function that makes kinds: `unit` is checked against the schemas of its own kind. */
export function jobsOn<Deps>() {
  return <Input extends z.ZodType, Cursor extends z.ZodType>(
    spec: JobSpec<Deps, Input, Cursor>,
  ): JobKind<Deps> & { readonly input: Input } =>
    spec as unknown as JobKind<Deps> & { readonly input: Input };
}
