import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { jobRepository, openStore, organizations, principalDirectory } from '@switchyard/store';
import { allPermissions, type Permissions } from '@switchyard/tenancy';
import { createOrganization, createPrincipal, openTestStore, testClock } from '@switchyard/testing';
import { isoOf, must, ok, type JsonObject } from '@switchyard/values';
import { openReports, reportWriter } from '../main/report-files.js';
import { readConfiguration } from '../main/settings/read-configuration.js';
import { principalCaller } from '../platform/caller/principal-caller.js';
import { runJobs, runnable, type RunJobsDeps } from '../platform/jobs/run-jobs.js';
import { jobStarter } from '../platform/jobs/start-job.js';
import { callRoutes } from '../platform/routes/testkit/call-route.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { reportFiles } from './report-files.js';
import { reportFileRoutes } from './report-files.routes.js';

const { store, database, stop } = await openTestStore(openStore);
const folder = mkdtempSync(join(tmpdir(), 'switchyard-report-files-'));
afterAll(stop);
afterAll(() => rmSync(folder, { recursive: true }));

const clock = testClock(Date.UTC(2026, 10, 30, 12));
const jobs = jobRepository(store);
const directory = principalDirectory(store);
const { settings } = must(readConfiguration({ SWITCHYARD_REPORTS_TO: folder }));
const { appUrl } = database;
const writer = reportWriter(settings, () => openReports({ primaryUrl: appUrl, readUrl: undefined, appUrl }));
if (writer === undefined) throw new Error('No place.');
const noItems = { seal: () => Promise.resolve(ok([])), open: () => Promise.resolve([]) };
const deps = {
  reportWriter: writer,
  ...{ organizations: organizations(store), jobs, clock, newId: randomUUID, local: { operatorId: '' } },
  jobStarter: jobStarter({ jobs, items: noItems, clock, newId: randomUUID, notify: () => undefined }),
};
const runs: RunJobsDeps = {
  ...{ jobs, items: noItems, principals: directory, clock },
  isStopped: () => false,
  onUnexpected: (error) => {
    throw error;
  },
};
const call = callRoutes(reportFileRoutes, deps);
const begin = (by: PrincipalCaller, body: JsonObject = {}) => call(by, 'write_report_files', { body });
const work = (scope: PrincipalCaller, over: Partial<typeof deps> = {}) =>
  runJobs(runs, runnable([reportFiles], { ...deps, ...over }), 'files', scope, new AbortController().signal);
const all = (by: PrincipalCaller) =>
  jobs.list(by, {
    shown: [{ kinds: [reportFiles.name], reach: { kind: 'everything' } }],
    ...{ limit: 10, sort: 'oldest' },
  });

async function person(permissions: Permissions = allPermissions) {
  const { id, slug } = await createOrganization(store);
  const caller = principalCaller(await createPrincipal(store, id, { kind: 'person', permissions }));
  return { caller, slug };
}
const manifestOf = (slug: string, day: string) =>
  JSON.parse(readFileSync(join(folder, slug, `manifest/date=${day}.json`), 'utf8')) as JsonObject;

describe('a job that writes the files of reports', () => {
  it('writes each view once although its worker dies between two, and the manifest at the end', async () => {
    const { caller, slug } = await person();
    must(await begin(caller, { format: 'csv' }));
    const written: string[] = [];
    class Died extends Error {}
    const dying = {
      ...writer,
      write: (of: Parameters<typeof writer.write>[0]) => {
        if (written.length === 3 && of.view !== written.at(-1)) throw new Died();
        written.push(of.view);
        return writer.write(of);
      },
    };
    await expect(work(caller, { reportWriter: dying })).rejects.toThrow(Died);
    expect(await all(caller)).toMatchObject([{ state: 'running', done: 3, total: 9 }]);
    clock.advance(60_000);
    const counting = {
      ...writer,
      write: (of: Parameters<typeof writer.write>[0]) => {
        written.push(of.view);
        return writer.write(of);
      },
    };
    await work(caller, { reportWriter: counting });
    expect(written).toEqual(writer.views);
    expect(await all(caller)).toMatchObject([
      {
        state: 'succeeded',
        done: 9,
        result: { day: '2026-11-29', manifest: `${slug}/manifest/date=2026-11-29.json` },
      },
    ]);
    expect(manifestOf(slug, '2026-11-29')).toMatchObject({ organization: slug, files: { length: 8 } });
  });

  it('goes on each day by itself, catches up days on which nothing ran, and ends where the next one is canceled', async () => {
    const { caller, slug } = await person();
    // Of two requests at once one begins, and the other names it.
    const both = await Promise.all([begin(caller, { daily: true }), begin(caller, { daily: true })]);
    expect(both.map((one) => (one.ok ? 'begun' : one.error.code)).toSorted()).toEqual(['CONFLICT', 'begun']);
    clock.advance(1_000);
    await work(caller);
    const [first, second] = await all(caller);
    expect([first?.state, second]).toMatchObject([
      'succeeded',
      { state: 'waiting', phase: 'waits for the end of 2026-11-30' },
    ]);
    expect(await begin(caller, { daily: true })).toMatchObject({
      error: { code: 'CONFLICT', message: expect.stringContaining(second?.id ?? '-') },
    });
    clock.advance(3 * 86_400_000);
    await work(caller);
    for (const day of ['2026-11-29', '2026-11-30', '2026-12-01', '2026-12-02'])
      expect(manifestOf(slug, day)).toMatchObject({ day });
    const last = (await all(caller)).find(({ state }) => state === 'waiting');
    expect(last).toMatchObject({ state: 'waiting', phase: 'waits for the end of 2026-12-03' });
    await jobs.cancel(caller, last?.id ?? '', clock.now());
    clock.advance(3 * 86_400_000);
    await work(caller);
    expect((await all(caller)).filter(({ state }) => state === 'waiting')).toEqual([]);
    expect(() => manifestOf(slug, '2026-12-03')).toThrow('ENOENT');
  });

  it('is refused to who may not read all of it, also where that is taken away before a unit', async () => {
    const { caller } = await person({ ledger: ['read', 'write'], sellers: ['read'] });
    expect(await begin(caller)).toMatchObject({ error: { code: 'INSUFFICIENT_PERMISSIONS' } });
    const { caller: other } = await person();
    must(await begin(other));
    await store.inTenant(other, (client) =>
      client.query(`update principal set permissions = '{"ledger": ["read", "write"]}'`),
    );
    await work(other);
    expect(await all(other)).toMatchObject([{ state: 'failed', errorCode: 'INSUFFICIENT_PERMISSIONS' }]);
    const tomorrow = isoOf(clock.now()).slice(0, 10);
    expect(await begin((await person()).caller, { day: tomorrow })).toMatchObject({
      error: { code: 'INVALID_REQUEST', field: 'day' },
    });
  });

  it('fails with the words of a place that cannot be written, and is written when it is repeated', async () => {
    const { caller, slug } = await person();
    writeFileSync(join(folder, slug), 'a file where the folder should be');
    must(await begin(caller));
    const worked = work(caller);
    for (let isOver = false; !isOver;) {
      clock.advance(10_000);
      isOver = (await all(caller))[0]?.state === 'failed';
    }
    await worked;
    const [failed] = await all(caller);
    expect(failed).toMatchObject({ errorCode: 'PLACE', errorMessage: expect.stringContaining('ENOTDIR') });
    rmSync(join(folder, slug));
    await jobs.retry(caller, failed?.id ?? '', clock.now(), (cursor) => ({ cursor, forgets: false }));
    await work(caller);
    expect(await all(caller)).toMatchObject([{ state: 'succeeded' }]);
  });
});
