import { createHash, randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { jobFiles, jobRepository, openStore, principalDirectory } from '@switchyard/store';
import { createOrganization, createPrincipal, openTestStore, testClock } from '@switchyard/testing';
import { err, must, ok } from '@switchyard/values';
import { z } from 'zod';
import { principalCaller } from '../caller/principal-caller.js';
import { routesOn, startedJob, WrittenAnswer } from '../routes/route.js';
import { callRoutes } from '../routes/testkit/call-route.js';
import type { PrincipalCaller } from '../tasks/call/task-call.js';
import { jobRoutes } from './jobs.routes.js';
import { requestKinds, withJobs } from './request-job.js';
import { runJobs, runnable, type RunJobsDeps } from './run-jobs.js';
import { jobStarter, type JobStarter } from './start-job.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

const clock = testClock();
const jobs = jobRepository(store);
const files = jobFiles(store);
const principals = principalDirectory(store);
const noItems = { seal: () => Promise.resolve(ok([])), open: () => Promise.resolve([]) };
const starter = jobStarter({ jobs, items: noItems, clock, newId: randomUUID, notify: () => undefined });

/** What happens while an answer is written, before each of its parts. */
let onPart = (_at: number): Promise<void> => Promise.resolve();
const begunAgain: (number | undefined)[] = [];
const route = routesOn<{ readonly jobStarter: JobStarter }>();
const rows = withJobs([
  route({
    method: 'get',
    path: '/v1/spec/{id}/lines',
    id: 'spec_lines',
    summary: 'Lines',
    needs: 'ledger.read',
    query: z.strictObject({ of: z.string() }),
    answer: z.strictObject({ lines: z.array(z.string()) }),
    inParts: true,
    asJob: { title: 'Lines' },
    handle: (_deps, { params, query, begunAt }) => {
      begunAgain.push(begunAt);
      return Promise.resolve(
        ok(
          new WrittenAnswer(async (write) => {
            await write('{"lines":[');
            for (let at = 0; at < 10; at += 1) {
              await onPart(at);
              // Of bytes that do not compress: each part of the answer fills more than a part of the file.
              const random = createHash('shake256', { outputLength: 400_000 })
                .update(String(at))
                .digest('base64');
              await write(`${at === 0 ? '' : ','}"${params.id} ${query.of} ${at} \u20ac ${random}"`);
            }
            await write(']}');
          }),
        ),
      );
    },
  }),
  route({
    method: 'post',
    path: '/v1/spec/sums',
    id: 'spec_sum',
    summary: 'Adds',
    needs: 'ledger.write',
    body: z.strictObject({ a: z.int(), b: z.int() }),
    answer: z.strictObject({ sum: z.int() }),
    asJob: { title: 'Sum' },
    handle: (_deps, { body: { a, b } }) =>
      Promise.resolve(b === 0 ? err({ code: 'CONFLICT', message: 'Nothing to add.' }) : ok({ sum: a + b })),
  }),
]);
const kinds = requestKinds(rows);
const callSpec = callRoutes(rows, { jobStarter: starter });
const callJobs = callRoutes(jobRoutes, {
  ...{ jobs, jobFiles: files, jobKinds: kinds, principals, clock },
  wakeJobs: () => undefined,
});
const runs: RunJobsDeps = {
  ...{ jobs, items: noItems, principals, clock },
  isStopped: () => false,
  onUnexpected: (error) => {
    throw error;
  },
};
const work = (scope: Person['scope'], over: Partial<RunJobsDeps> = {}) =>
  runJobs(
    { ...runs, ...over },
    runnable(kinds, {
      clock,
      jobFiles: files,
      runRow: (id, request) => {
        const row = rows.find((one) => one.id === id);
        if (row === undefined) throw new Error(id);
        return row.handle({ jobStarter: starter }, request);
      },
    }),
    'files',
    scope,
    new AbortController().signal,
  );

async function person(permissions: PrincipalCaller['permissions'] = { ledger: ['read', 'write'] }) {
  const { id } = await createOrganization(store);
  const principal = await createPrincipal(store, id, { kind: 'person', permissions });
  return { scope: { organizationId: id }, caller: principalCaller(principal) };
}
type Person = Awaited<ReturnType<typeof person>>;

const lines = { params: { id: 'x' }, query: { of: 'y' } };
const jobIn = (started: Awaited<ReturnType<typeof callSpec>>): string =>
  startedJob.parse(must(started)).job_id;
const started = async ({ caller }: Person): Promise<string> =>
  jobIn(await callSpec(caller, 'start_spec_lines', lines));
const shown = async ({ caller }: Person, id: string) =>
  must(await callJobs(caller, 'show_job', { params: { id } }));
const read = (caller: PrincipalCaller, id: string) => callJobs(caller, 'read_job_file', { params: { id } });
const partsOf = ({ scope }: Person) =>
  store.inTenant(scope, async (client) => (await client.query('select 1 from job_file_part')).rowCount);

describe('a request that a job does', () => {
  it('has the answer of the request itself as its file, and says its size and digest', async () => {
    const whose = await person();
    const id = await started(whose);
    expect(await shown(whose, id)).toMatchObject({ kind: 'spec_lines', title: 'Lines', state: 'waiting' });
    await work(whose.scope);
    const answer = must(await callSpec(whose.caller, 'spec_lines', lines));
    expect(must(await read(whose.caller, id))).toEqual(answer);
    const text = JSON.stringify(answer);
    const bytes = Buffer.byteLength(text);
    const sha256 = createHash('sha256').update(text).digest('hex');
    expect(await shown(whose, id)).toMatchObject({ state: 'succeeded', file: { bytes, sha256 } });
    expect(await partsOf(whose)).toBeGreaterThan(5);
  });

  it('of a row that is no GET is asked for with respond=async, and fails with the words of the refusal', async () => {
    const whose = await person();
    const ask = async (body: object) =>
      jobIn(await callSpec(whose.caller, 'spec_sum', { query: { respond: 'async' }, body }));
    const [good, bad] = [await ask({ a: 1, b: 2 }), await ask({ a: 1, b: 0 })];
    await work(whose.scope);
    expect(must(await read(whose.caller, good))).toEqual({ sum: 3 });
    expect(await shown(whose, bad)).toMatchObject({
      state: 'failed',
      error: { code: 'CONFLICT', message: 'Nothing to add.' },
    });
    expect(must(await callSpec(whose.caller, 'spec_sum', { body: { a: 1, b: 2 } }))).toEqual({ sum: 3 });
  });

  it('is read by who asked for it alone, while that one may see what is in it', async () => {
    const whose = await person();
    const id = await started(whose);
    await work(whose.scope);
    const { caller } = whose;
    const colleague = await createPrincipal(store, whose.scope.organizationId, {
      kind: 'person',
      permissions: caller.permissions,
    });
    const everywhere = [
      { role: 'spec', permissions: caller.permissions, scope: { kind: 'organization' } },
    ] as const;
    const ofClient = [{ ...everywhere[0], scope: { kind: 'client', id: randomUUID() } }] as const;
    const denied = { error: { code: 'INSUFFICIENT_PERMISSIONS' } };
    expect(await read({ ...principalCaller(colleague), grants: everywhere }, id)).toMatchObject(denied);
    expect(await read({ ...caller, grants: ofClient }, id)).toMatchObject(denied);
    expect(await read({ ...caller, permissions: { ledger: ['read'] } }, id)).toMatchObject(denied);
    expect((await read({ ...caller, grants: everywhere }, id)).ok).toBe(true);
    expect(await read((await person()).caller, id)).toMatchObject({ error: { code: 'NOT_FOUND' } });
  });

  it('is deleted a week after it was begun, and its job says what it was', async () => {
    const whose = await person();
    const id = await started(whose);
    await work(whose.scope);
    const { ends_at: endsAt } = (await shown(whose, id))['file'] as { readonly ends_at: string };
    expect(Date.parse(endsAt)).toBe(clock.now() + 7 * 24 * 3_600_000);
    clock.advance(7 * 24 * 3_600_000);
    expect(await read(whose.caller, id)).toMatchObject({ error: { code: 'NOT_FOUND' } });
    expect(await files.forget(whose.scope, clock.now())).toBe(1);
    expect(await partsOf(whose)).toBe(0);
    expect(await shown(whose, id)).toMatchObject({ state: 'succeeded', result: expect.anything() });
  });

  it('that is canceled while it writes leaves no file, and is written whole when it is repeated', async () => {
    const whose = await person();
    const id = await started(whose);
    onPart = async (at) => {
      if (at === 7) await callJobs(whose.caller, 'cancel_job', { params: { id } });
    };
    await work(whose.scope);
    onPart = () => Promise.resolve();
    expect(await shown(whose, id)).toMatchObject({ state: 'canceled' });
    expect(await read(whose.caller, id)).toMatchObject({ error: { code: 'NOT_FOUND' } });
    must(await callJobs(whose.caller, 'retry_job', { params: { id } }));
    await work(whose.scope);
    expect(must(await read(whose.caller, id))).toEqual(
      must(await callSpec(whose.caller, 'spec_lines', lines)),
    );
    expect(begunAgain.at(-2)).toEqual(expect.any(Number));
  });

  it('is written once although a worker died over it and wrote on too late', async () => {
    const whose = await person();
    const id = await started(whose);
    let revive = (): void => undefined;
    let reached = (): void => undefined;
    const atTen = new Promise<void>((resolve) => (reached = resolve));
    const hung = new Promise<void>((resolve) => (revive = resolve));
    onPart = (at) => {
      if (at !== 6) return Promise.resolve();
      reached();
      return hung;
    };
    const dead = work(whose.scope, { clock: { ...clock, after: () => () => undefined } });
    await atTen;
    onPart = () => Promise.resolve();
    clock.advance(31_000);
    await work(whose.scope);
    const parts = await partsOf(whose);
    revive();
    await dead;
    expect(await partsOf(whose)).toBe(parts);
    expect(must(await read(whose.caller, id))).toEqual(
      must(await callSpec(whose.caller, 'spec_lines', lines)),
    );
  });
});
