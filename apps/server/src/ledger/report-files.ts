import type { JobStore, Organizations } from '@switchyard/store';
import { err, isoOf, ok, type Clock, type Instant, type Result } from '@switchyard/values';
import { z } from 'zod';
import { jobsOn, type JobFailure, type JobUnit } from '../platform/jobs/job-kind.js';
import { day } from '../platform/routes/fields.js';
import { organizationWide } from '../platform/routes/list-filters.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';

interface OfDay {
  readonly organization: { readonly id: string; readonly slug: string };
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
}

const file = z.strictObject({ view: z.string(), path: z.string(), rows: z.int(), sha256: z.string() });
type WrittenReport = z.output<typeof file>;

/** Writes the reports of an organization into the folder or place that the operator has named. */
export interface ReportWriter {
  /** The views; each becomes a file. */
  readonly views: readonly string[];
  write(
    of: OfDay & { readonly view: string; readonly format: 'csv' | 'parquet' },
  ): Promise<Result<WrittenReport, { readonly message: string }>>;
  /** Writes the manifest, after all files that it names. The value is its path. */
  finish(
    of: OfDay & { readonly files: readonly WrittenReport[] },
  ): Promise<Result<string, { readonly message: string }>>;
}

interface ReportFilesDeps {
  /** Absent where the operator has named no place. */
  readonly reportWriter?: ReportWriter;
  readonly organizations: Pick<Organizations, 'byId'>;
  readonly jobs: Pick<JobStore, 'follow'>;
  readonly clock: Clock;
  readonly newId: () => string;
}

const input = z.strictObject({
  day,
  format: z.enum(['csv', 'parquet']),
  /** It starts the job of the next day before it does anything else. */
  daily: z.boolean(),
});
const cursor = z.strictObject({
  files: z.array(file),
  /** Whether the job of the next day was started. */
  is_followed: z.boolean(),
});

type Unit = JobUnit<z.output<typeof input>, z.output<typeof cursor>>;

const dayMs = 86_400_000;
/** After midnight, in milliseconds, when the files of the day before are written: its last bookings are committed. */
const afterMidnightMs = 15 * 60_000;
/** How long a failed write of a file waits before it is tried again, in milliseconds. */
const pausesMs = [2_000, 10_000];

/** The UTC day before the one of an instant. */
export const dayBefore = (at: Instant): string => isoOf(at - dayMs).slice(0, 10);

/** When the files of a day can be written first. */
export const writableFrom = (of: string): Instant => Date.parse(of) + dayMs + afterMidnightMs;

export const unset =
  'The operator of this installation has named no place for files of reports (SWITCHYARD_REPORTS_TO).';

/**
 * The figures of a day as files, a view at a time, and a manifest at the end. A daily one is a row of jobs that start one
 * another: the next one waits for its day, with the rights of the person who started the first. Cancel it to end the row.
 */
export const reportFiles = jobsOn<ReportFilesDeps>()({
  name: 'write_report_files',
  title: 'Files of reports',
  needs: 'ledger.write',
  byPerson: true,
  waitsFor: 'files',
  input,
  cursor,
  first: { files: [], is_followed: false },
  unit: async (deps, job) => {
    const { reportWriter: writer } = deps;
    const { input, cursor: at, scope } = job;
    const refused = narrowFor(job.caller);
    if (refused !== undefined) return err(refused);
    if (writer === undefined) return err({ code: 'UNAVAILABLE', message: unset });
    const total = writer.views.length + 1;
    if (input.daily && !at.is_followed) {
      await startNext(deps, job, total);
      return ok({});
    }
    const organization = await deps.organizations.byId(scope.organizationId);
    if (organization === undefined) return err({ code: 'NOT_FOUND', message: 'The organization is gone.' });
    const of = { organization, day: input.day };
    const view = writer.views[at.files.length];
    if (view === undefined) {
      const written = await tried(deps.clock, job.stopped, () => writer.finish({ ...of, files: at.files }));
      if (!written.ok) return written;
      const rows = at.files.reduce((sum, { rows: each }) => sum + each, 0);
      const progress = { cursor: at, done: total, total };
      return ok({ progress, result: { day: input.day, rows, manifest: written.value } });
    }
    const written = await tried(deps.clock, job.stopped, () =>
      writer.write({ ...of, view, format: input.format }),
    );
    if (!written.ok) return written;
    const files = [...at.files, written.value];
    return ok({ progress: { cursor: { ...at, files }, done: files.length, total, phase: view } });
  },
});

/** Why a caller may not have all of it; undefined: it reads everything that is in the files. */
export function narrowFor(caller: PrincipalCaller) {
  return (
    organizationWide(caller, 'ledger', 'write') ??
    organizationWide(caller, 'ledger', 'read') ??
    organizationWide(caller, 'media_buys', 'read') ??
    organizationWide(caller, 'sellers', 'read')
  );
}

/** A waiting job of a day, for whoever lists jobs. */
export const phaseOf = (of: string): string => `waits for the end of ${of}`;

async function startNext({ jobs, clock, newId }: ReportFilesDeps, job: Unit, total: number): Promise<void> {
  const { caller, input: of, scope, lease, leaseMs, cursor: at } = job;
  const next = isoOf(Date.parse(of.day) + dayMs).slice(0, 10);
  const progress = { cursor: { ...at, is_followed: true }, done: 0, total };
  await jobs.follow(
    scope,
    lease,
    progress,
    {
      ...{ id: newId(), kind: reportFiles.name, waitsFor: reportFiles.waitsFor },
      ...{ principalId: caller.principalId, permissions: caller.permissions },
      ...{ input: { ...of, day: next }, cursor: { files: [], is_followed: false }, items: [] },
      ...{ createdAt: clock.now(), dueAt: writableFrom(next), phase: phaseOf(next), total },
    },
    { now: clock.now(), leaseMs },
  );
}

/** A place on a network is tried three times: a job of the night has nobody who repeats it. */
async function tried<T>(
  clock: Clock,
  stopped: AbortSignal,
  write: () => Promise<Result<T, { readonly message: string }>>,
): Promise<Result<T, JobFailure>> {
  for (let at = 0; ; at += 1) {
    const written = await write();
    if (written.ok) return written;
    const pauseMs = pausesMs[at];
    if (pauseMs === undefined || stopped.aborted)
      return err({ code: 'PLACE', message: written.error.message });
    await new Promise<void>((resolve) => void clock.after(pauseMs, resolve));
  }
}
