import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { jobStates, type JobFiles, type JobRecord, type JobStore } from '@switchyard/store';
import type { PrincipalDirectory } from '@switchyard/tenancy';
import { defined, err, isoOf, ok, type Clock, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../failure.js';
import { instant, jsonObject } from '../routes/fields.js';
import { sortQuery, timeFilter, timeQuery } from '../routes/list-filters.js';
import { listPage, nextCursor, pageQuery } from '../routes/list-page.js';
import { routesOn, WrittenAnswer, type Immutable } from '../routes/route.js';
import { scopeOf, type PrincipalCaller } from '../tasks/call/task-call.js';
import type { AnyJobKind } from './job-kind.js';
import { jobsShown } from './shown-jobs.js';
import { seesStill } from './sight.js';

interface JobsDeps {
  readonly jobs: JobStore;
  readonly jobFiles: Pick<JobFiles, 'find' | 'part'>;
  readonly jobKinds: readonly AnyJobKind[];
  readonly wakeJobs: (organizationId: string, waitsFor: AnyJobKind['waitsFor']) => void;
  readonly principals: Pick<PrincipalDirectory, 'names'>;
  readonly clock: Clock;
}

const job = z.strictObject({
  job_id: z.string(),
  kind: z.string().describe('For example import_sellers.'),
  title: z.string(),
  state: z.enum(jobStates).describe('waiting and running go on; the others have ended.'),
  phase: z.string().exactOptional(),
  done: z.int().describe('Items that are done, including those that failed.'),
  total: z.int().exactOptional().describe('Items in all, if that is known.'),
  faults: z.int().describe('Items that failed: see GET /v1/jobs/{id}/faults.'),
  result: jsonObject.exactOptional().describe('What came of it, once it has succeeded.'),
  file: z
    .strictObject({
      bytes: z.int(),
      sha256: z.string().describe('SHA-256 of the bytes, hexadecimal.'),
      ends_at: instant.describe('When it is deleted.'),
    })
    .exactOptional()
    .describe('The answer of the request that it did, shown to who asked for it: GET /v1/jobs/{id}/file.'),
  error: z
    .strictObject({ code: z.string(), message: z.string() })
    .exactOptional()
    .describe('Why it failed as a whole.'),
  started_by: z.string().describe('Name of the principal.'),
  client_id: z.string().exactOptional(),
  brand: z.string().exactOptional(),
  campaign_id: z.string().exactOptional(),
  created_at: instant,
  started_at: instant.exactOptional(),
  ended_at: instant.exactOptional(),
  cancel_requested_at: instant
    .exactOptional()
    .describe('Somebody canceled it: it stops after what it is doing at the moment.'),
});
type JobView = Immutable<z.output<typeof job>>;

const example = {
  job_id: '7b0d9a4e-6f0b-4f0b-8f2e-0c5c1f0b6a11',
  kind: 'import_sellers',
  title: 'Import of sellers',
  state: 'running',
  done: 140,
  total: 600,
  faults: 2,
  started_by: 'operator',
  created_at: '2026-11-21T12:00:00.000Z',
  started_at: '2026-11-21T12:00:01.000Z',
} as const;

const fault = z.strictObject({
  position: z.int().describe('Of the item, from 0.'),
  item: z.string().describe('Its name.'),
  code: z.string(),
  message: z.string(),
});

const route = routesOn<JobsDeps>();

/** Long work: how far it is, what failed, and its end. Each kind has its own permission, so any credential may ask. */
export const jobRoutes = [
  route({
    method: 'get',
    path: '/v1/jobs',
    id: 'list_jobs',
    summary: 'Jobs that the caller may see, newest first',
    needs: 'a_credential',
    query: z.strictObject({
      state: z.enum(jobStates).exactOptional(),
      kind: z
        .string()
        .regex(/^[a-z0-9_]{1,80}$/, 'must be the name of a kind')
        .exactOptional(),
      ...timeQuery,
      ...sortQuery,
      ...pageQuery,
    }),
    answer: z.strictObject({ jobs: z.array(job), next_cursor: nextCursor }),
    example: { jobs: [example] },
    handle: async (deps, { caller, query }) => {
      const { state, kind, sort } = query;
      const filter = {
        ...timeFilter(query),
        ...defined({ state, kind, sort }),
        shown: jobsShown(deps.jobKinds, caller, 'see'),
      };
      const page = await listPage(
        { id: 'list_jobs', caller, query },
        (read) => deps.jobs.list(scopeOf(caller), { ...filter, ...read }),
        ({ createdAt, id }) => [createdAt, id],
      );
      if (!page.ok) return page;
      const { rows, next } = page.value;
      return ok({ jobs: await viewsOf(deps, caller, rows), ...next });
    },
  }),
  route({
    method: 'get',
    path: '/v1/jobs/{id}',
    id: 'show_job',
    summary: 'How far a job is, and what came of it',
    needs: 'a_credential',
    answer: job,
    example,
    handle: (deps, { caller, params }) => shown(deps, caller, params.id),
  }),
  route({
    method: 'get',
    path: '/v1/jobs/{id}/faults',
    id: 'list_job_faults',
    summary: 'Items of a job that failed, in the order of the items',
    needs: 'a_credential',
    query: z.strictObject({ ...pageQuery }),
    answer: z.strictObject({ faults: z.array(fault), next_cursor: nextCursor }),
    example: {
      faults: [{ position: 12, item: 'acme', code: 'NOT_LIVE', message: 'The seller does not answer.' }],
    },
    handle: async (deps, { caller, params, query }) => {
      const found = await shown(deps, caller, params.id);
      if (!found.ok) return found;
      const page = await listPage(
        { id: `list_job_faults ${params.id}`, caller, query },
        (read) => deps.jobs.faults(scopeOf(caller), params.id, read),
        ({ position }) => [position],
      );
      return page.ok ? ok({ faults: page.value.rows, ...page.value.next }) : page;
    },
  }),
  route({
    method: 'get',
    path: '/v1/jobs/{id}/file',
    id: 'read_job_file',
    summary: 'The answer of the request that a job did, for who asked for it',
    needs: 'a_credential',
    inParts: true,
    answer: jsonObject.describe('What the request answers that the job did, with its members.'),
    example: { statement: {}, digest: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' },
    handle: async (deps, { caller, params: { id } }) => {
      const job = await deps.jobs.find(scopeOf(caller), id, jobsShown(deps.jobKinds, caller, 'see'));
      if (job === undefined) return err(notFound);
      const file = await deps.jobFiles.find(scopeOf(caller), id);
      if (file === undefined || file.endsAt <= deps.clock.now()) return err(noFile);
      if (job.principalId !== caller.principalId) return err(anothersFile);
      const kind = deps.jobKinds.find(({ name }) => name === job.kind);
      if (kind?.byPerson === true && caller.program !== undefined) return err(noProgram);
      if (!seesStill(caller, file.madeFor)) return err(seesLess);
      return ok(new WrittenAnswer((write) => sendFile(deps, caller, id, write)));
    },
  }),
  route({
    method: 'post',
    path: '/v1/jobs/{id}/cancel',
    id: 'cancel_job',
    summary: 'Stop a job after what it is doing at the moment; what is done stays done',
    needs: 'a_credential',
    byPerson: true,
    answer: job,
    handle: (deps, { caller, params: { id } }) =>
      changed(deps, caller, id, 'This job has ended.', () =>
        deps.jobs.cancel(scopeOf(caller), id, deps.clock.now()),
      ),
  }),
  route({
    method: 'post',
    path: '/v1/jobs/{id}/retry',
    id: 'retry_job',
    summary:
      'Go on with a job that failed or was canceled, and repeat items that failed; what is done is not repeated',
    needs: 'a_credential',
    byPerson: true,
    answer: job,
    handle: (deps, { caller, params: { id } }) =>
      changed(deps, caller, id, nothingToRepeat, async ({ kind: name, state }) => {
        const kind = deps.jobKinds.find((one) => one.name === name);
        if (kind?.isApproved === true && state !== 'failed') return false;
        const { again } = kind ?? {};
        const from = (cursor: unknown, failed: readonly number[]) =>
          again === undefined ? { cursor, forgets: false } : { cursor: again(cursor, failed), forgets: true };
        const isAgain = await deps.jobs.retry(scopeOf(caller), id, deps.clock.now(), from);
        if (isAgain && kind !== undefined) deps.wakeJobs(caller.organizationId, kind.waitsFor);
        return isAgain;
      }),
  }),
];

const nothingToRepeat =
  'This job has nothing to repeat. One that another person approved, and that was canceled, is asked for again.';

const notFound: AdminFailure = { code: 'NOT_FOUND', message: 'There is no job with this id.', field: 'id' };

const noFile: AdminFailure = {
  code: 'NOT_FOUND',
  message:
    'This job has no file: it has not succeeded, writes none, or the file was deleted a week after it was begun.',
  suggestion: 'Ask for it again.',
};
const anothersFile: AdminFailure = {
  code: 'INSUFFICIENT_PERMISSIONS',
  message: 'The file was made with the rights of another person, and only that person reads it.',
  suggestion: 'Ask for it yourself.',
};
const noProgram: AdminFailure = {
  code: 'INSUFFICIENT_PERMISSIONS',
  message: 'A program that acts for a person does not read this file.',
};
const seesLess: AdminFailure = {
  code: 'INSUFFICIENT_PERMISSIONS',
  message: 'The file was made with rights that this caller does not have now.',
  suggestion: 'Ask for it again: it will have what you may see.',
};

/** Sends the parts of a file as they are read, decompressed. */
async function sendFile(
  { jobFiles }: JobsDeps,
  caller: PrincipalCaller,
  id: string,
  write: (part: string) => Promise<void>,
): Promise<void> {
  const scope = scopeOf(caller);
  async function* parts(): AsyncGenerator<Buffer> {
    for (let position = 0; ; position += 1) {
      const part = await jobFiles.part(scope, id, position);
      if (part === undefined) return;
      yield part;
    }
  }
  const decoder = new TextDecoder();
  // A file that was deleted meanwhile ends too early, and that is an error of gzip.
  await pipeline(Readable.from(parts()), createGunzip(), async (text: AsyncIterable<Buffer>) => {
    for await (const chunk of text) await write(decoder.decode(chunk, { stream: true }));
  });
}

async function shown(
  deps: JobsDeps,
  caller: PrincipalCaller,
  id: string,
): Promise<Result<JobView, AdminFailure>> {
  const found = await deps.jobs.find(scopeOf(caller), id, jobsShown(deps.jobKinds, caller, 'see'));
  const [view] = found === undefined ? [] : await viewsOf(deps, caller, [found]);
  return view === undefined ? err(notFound) : ok(view);
}

/** An act on a job that the caller may change. */
async function changed(
  deps: JobsDeps,
  caller: PrincipalCaller,
  id: string,
  refusal: string,
  act: (job: JobRecord) => Promise<boolean>,
): Promise<Result<JobView, AdminFailure>> {
  const found = await deps.jobs.find(scopeOf(caller), id, jobsShown(deps.jobKinds, caller, 'change'));
  if (found === undefined) {
    const seen = await shown(deps, caller, id);
    if (!seen.ok) return seen;
    const needs = deps.jobKinds.find(({ name }) => name === seen.value.kind)?.needs ?? '';
    return err({ code: 'INSUFFICIENT_PERMISSIONS', message: `This needs the permission ${needs}.` });
  }
  if (!(await act(found))) return err({ code: 'CONFLICT', message: refusal });
  return shown(deps, caller, id);
}

async function viewsOf(
  { jobKinds, principals }: JobsDeps,
  caller: PrincipalCaller,
  rows: readonly JobRecord[],
): Promise<readonly JobView[]> {
  const names = await principals.names(
    scopeOf(caller),
    rows.map(({ principalId }) => principalId),
  );
  return rows.map((row) => ({
    job_id: row.id,
    kind: row.kind,
    title: jobKinds.find(({ name }) => name === row.kind)?.title ?? row.kind,
    state: row.state,
    done: row.done,
    faults: row.faults,
    started_by: names.get(row.principalId) ?? row.principalId,
    created_at: isoOf(row.createdAt),
    ...defined({
      phase: row.phase,
      total: row.total,
      result: row.result,
      file: row.principalId === caller.principalId ? fileView(row.file) : undefined,
      client_id: row.clientId,
      brand: row.brandDomain,
      campaign_id: row.campaignId,
      started_at: timeOf(row.startedAt),
      ended_at: timeOf(row.endedAt),
      cancel_requested_at: timeOf(row.cancelRequestedAt),
      error:
        row.errorCode === undefined ? undefined : { code: row.errorCode, message: row.errorMessage ?? '' },
    }),
  }));
}

const fileView = (file: JobRecord['file']) =>
  file && { bytes: file.bytes, sha256: file.sha256, ends_at: isoOf(file.endsAt) };

const timeOf = (at: number | undefined): string | undefined => (at === undefined ? undefined : isoOf(at));
