import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { credentialStore, jobFiles, jobRepository, openStore, principalDirectory } from '@switchyard/store';
import {
  createOrganization,
  createPrincipal,
  memoryKeyManagement,
  openTestStore,
  testClock,
} from '@switchyard/testing';
import { err, must, ok } from '@switchyard/values';
import { createVault } from '@switchyard/vault';
import { z } from 'zod';
import { principalCaller } from '../caller/principal-caller.js';
import { callRoutes } from '../routes/testkit/call-route.js';
import { Lanes } from '../lanes/lanes.js';
import type { WorkersContext } from '../lanes/workers-context.js';
import { StartedJob } from '../routes/route.js';
import { itemJob } from './item-job.js';
import { jobsOn, type JobKind } from './job-kind.js';
import { jobItems } from './job-items.js';
import { JobsProcessor } from './jobs.module.js';
import { jobRoutes } from './jobs.routes.js';
import { runJobs, runnable, type RunJobsDeps } from './run-jobs.js';
import { jobStarter } from './start-job.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

const clock = testClock();
const jobs = jobRepository(store);
const principals = principalDirectory(store);
const vault = createVault({
  kms: memoryKeyManagement(),
  store: credentialStore(store),
  clock,
  newId: randomUUID,
  randomBytes,
});
const items = jobItems(vault, jobs);
const starter = jobStarter({ jobs, items, clock, newId: randomUUID, notify: () => undefined });
const unexpected: unknown[] = [];
const stopped = new Set<string>();
const runs: RunJobsDeps = {
  jobs,
  items,
  principals,
  isStopped: (_organizationId, principalId) => stopped.has(principalId),
  clock,
  onUnexpected: (error) => unexpected.push(error),
};
const never = new AbortController().signal;

/** What an item does when its turn comes. */
type Act = (name: string) => Promise<'fails' | 'done'>;
interface Deps {
  readonly act: Act;
}

const itemKind = itemJob<Deps>()({
  name: 'spec_items',
  title: 'Items',
  needs: 'sellers.write',
  waitsFor: 'sellers',
  item: z.strictObject({ name: z.string(), group: z.string(), secret: z.string().exactOptional() }),
  nameOf: ({ name }) => name,
  groupOf: ({ group }) => group,
  atOnce: 3,
  run: async ({ act }, _caller, { name }) =>
    (await act(name)) === 'done' ? ok(undefined) : err({ code: 'WRONG', message: `${name} is wrong` }),
});

const countKind = jobsOn<Deps>()({
  name: 'spec_count',
  title: 'Counting',
  needs: 'ledger.write',
  waitsFor: 'database',
  input: z.strictObject({ upTo: z.int() }),
  cursor: z.int(),
  first: 0,
  unit: async ({ act }, { input, cursor }) => {
    await act(String(cursor));
    const progress = { cursor: cursor + 1, done: cursor + 1, phase: 'counting' };
    return ok(cursor + 1 === input.upTo ? { progress, result: { counted: input.upTo } } : { progress });
  },
});

const kinds: readonly JobKind<Deps>[] = [itemKind, countKind];

async function person(permissions: Parameters<typeof createPrincipal>[2] = {}) {
  const { id } = await createOrganization(store);
  const principal = await createPrincipal(store, id, {
    kind: 'person',
    permissions: { sellers: ['read', 'write'], ledger: ['read', 'write'] },
    ...permissions,
  });
  return { scope: { organizationId: id }, caller: principalCaller(principal), principal };
}
type Person = Awaited<ReturnType<typeof person>>;

const callJobs = callRoutes(jobRoutes, {
  jobs,
  jobFiles: jobFiles(store),
  jobKinds: kinds,
  wakeJobs: () => undefined,
  principals,
  clock,
});
const shown = async ({ caller }: Person, id: string) =>
  must(await callJobs(caller, 'show_job', { params: { id } }));
const idOf = (started: Awaited<ReturnType<typeof starter.start>>): string => must(started).id;

function itemsOf(count: number, groups = count) {
  return Array.from({ length: count }, (_, at) => ({ name: `i${at}`, group: `g${at % groups}` }));
}

const run = (whose: Person, act: Act, waitsFor: 'sellers' | 'database' = 'sellers', signal = never) =>
  runJobs(runs, runnable(kinds, { act }), waitsFor, whose.scope, signal);

/** Acts that are done at once, and their names. */
function acts(fails: readonly string[] = []) {
  const names: string[] = [];
  const act: Act = (name) => {
    names.push(name);
    return Promise.resolve(fails.includes(name) ? 'fails' : 'done');
  };
  return { names, act };
}

describe('a job of items', () => {
  it('does each item once, says which failed, and keeps no secret once it has succeeded', async () => {
    const whose = await person();
    const rows = itemsOf(250).map((item) => ({ ...item, secret: 'sesame-1' }));
    const started = await starter.start(itemKind, whose.caller, { input: {}, items: rows });
    expect(must(started)).toBeInstanceOf(StartedJob);
    const id = idOf(started);
    expect(await shown(whose, id)).toMatchObject({
      state: 'waiting',
      done: 0,
      total: 250,
      kind: 'spec_items',
    });
    const stored = await store.inTenant(whose.scope, (client) =>
      client.query<{ text: string }>(
        `select (select jsonb_agg(to_jsonb(j)) from job j)::text || (select jsonb_agg(to_jsonb(c)) from credential c)::text as text`,
      ),
    );
    expect(stored.rows[0]?.text).not.toContain('sesame');
    const { names, act } = acts();
    await run(whose, act);
    expect([...names].sort()).toEqual(rows.map(({ name }) => name).sort());
    expect(await shown(whose, id)).toMatchObject({
      state: 'succeeded',
      done: 250,
      faults: 0,
      result: { succeeded: 250, failed: 0 },
    });
    const left = await store.inTenant(whose.scope, (client) => client.query('select 1 from credential'));
    expect(left.rowCount).toBe(0);
  });

  it('runs several at once, and one of a group', async () => {
    const whose = await person();
    await starter.start(itemKind, whose.caller, { input: {}, items: itemsOf(12, 4) });
    const running = new Set<string>();
    let most = 0;
    await run(whose, async (name) => {
      const group = String(Number(name.slice(1)) % 4);
      expect(running.has(group)).toBe(false);
      running.add(group);
      most = Math.max(most, running.size);
      await new Promise(setImmediate);
      running.delete(group);
      return 'done';
    });
    expect(most).toBe(3);
  });

  it('repeats the failed items and no other', async () => {
    const whose = await person();
    const id = idOf(await starter.start(itemKind, whose.caller, { input: {}, items: itemsOf(9) }));
    await run(whose, acts(['i2', 'i7']).act);
    expect(await shown(whose, id)).toMatchObject({ state: 'succeeded', done: 9, faults: 2 });
    const faults = must(await callJobs(whose.caller, 'list_job_faults', { params: { id } }));
    expect(faults['faults']).toEqual([
      { position: 2, item: 'i2', code: 'WRONG', message: 'i2 is wrong' },
      { position: 7, item: 'i7', code: 'WRONG', message: 'i7 is wrong' },
    ]);
    const again = must(await callJobs(whose.caller, 'retry_job', { params: { id } }));
    expect(again).toMatchObject({ state: 'waiting', done: 7, faults: 0 });
    const { names, act } = acts(['i7']);
    await run(whose, act);
    expect(names.sort()).toEqual(['i2', 'i7']);
    expect(await shown(whose, id)).toMatchObject({ state: 'succeeded', done: 9, faults: 1 });
    expect(await callJobs(whose.caller, 'cancel_job', { params: { id } })).toMatchObject({
      error: { code: 'CONFLICT' },
    });
  });

  it('goes on in slices, each item once', async () => {
    const whose = await person();
    const id = idOf(await starter.start(itemKind, whose.caller, { input: {}, items: itemsOf(10, 1) }));
    const { names, act } = acts();
    const slow: Act = (name) => {
      clock.advance(1_000);
      return act(name);
    };
    expect(await run(whose, slow)).toBe(true);
    expect(names).toEqual(['i0', 'i1']);
    expect(await shown(whose, id)).toMatchObject({ state: 'running', done: 2 });
    while (await run(whose, slow));
    expect(names).toEqual(itemsOf(10).map(({ name }) => name));
  });

  it('goes on at another worker when one dies, and what the dead one stores late is not kept', async () => {
    const whose = await person();
    const id = idOf(await starter.start(itemKind, whose.caller, { input: {}, items: itemsOf(6, 1) }));
    const first = acts();
    let revive = (): void => undefined;
    const hung = new Promise<'done'>((resolve) => {
      revive = () => resolve('done');
    });
    let reached = (): void => undefined;
    const atFour = new Promise<void>((resolve) => (reached = resolve));
    // Its heartbeats do not come either.
    const dead = runJobs(
      { ...runs, clock: { ...clock, after: () => () => undefined } },
      runnable(kinds, {
        act: (name) => {
          if (name !== 'i4') return first.act(name);
          reached();
          return hung;
        },
      }),
      'sellers',
      whose.scope,
      never,
    );
    await atFour;
    const other = acts();
    await run(whose, other.act);
    expect(other.names).toEqual([]);
    clock.advance(31_000);
    await run(whose, other.act);
    expect([first.names, other.names]).toEqual([
      ['i0', 'i1', 'i2', 'i3'],
      ['i4', 'i5'],
    ]);
    const ended = await shown(whose, id);
    expect(ended).toMatchObject({ state: 'succeeded', done: 6 });
    revive();
    await dead;
    expect(await shown(whose, id)).toEqual(ended);
  });

  it('stops when it is canceled, keeps what is done, and goes on there when it is repeated', async () => {
    const whose = await person();
    const id = idOf(await starter.start(itemKind, whose.caller, { input: {}, items: itemsOf(8, 1) }));
    const first = acts();
    await run(whose, async (name) => {
      if (name === 'i3') await callJobs(whose.caller, 'cancel_job', { params: { id } });
      return first.act(name);
    });
    expect(first.names).toEqual(['i0', 'i1', 'i2', 'i3']);
    expect(await shown(whose, id)).toMatchObject({ state: 'canceled', done: 4 });
    await callJobs(whose.caller, 'retry_job', { params: { id } });
    const second = acts();
    await run(whose, second.act);
    expect(second.names).toEqual(['i4', 'i5', 'i6', 'i7']);
    expect(await shown(whose, id)).toMatchObject({ state: 'succeeded', done: 8 });
  });
});

describe('a job', () => {
  it('that waits is canceled at once', async () => {
    const whose = await person();
    const id = idOf(await starter.start(countKind, whose.caller, { input: { upTo: 3 } }));
    expect(must(await callJobs(whose.caller, 'cancel_job', { params: { id } }))).toMatchObject({
      state: 'canceled',
    });
    const { names, act } = acts();
    await run(whose, act, 'database');
    expect(names).toEqual([]);
  });

  it('that throws is repeated from its last progress, and fails after five slices without any', async () => {
    const whose = await person();
    const id = idOf(await starter.start(countKind, whose.caller, { input: { upTo: 4 } }));
    const tries: string[] = [];
    for (let slice = 0; slice < 8; slice += 1) {
      await run(
        whose,
        (name) => {
          tries.push(name);
          return name === '2' ? Promise.reject(new Error('The disk is full.')) : Promise.resolve('done');
        },
        'database',
      );
      clock.advance(120_000);
    }
    expect(tries).toEqual(['0', '1', '2', '2', '2', '2', '2', '2']);
    expect(unexpected).toHaveLength(6);
    expect(await shown(whose, id)).toMatchObject({ state: 'failed', done: 2, error: { code: 'GAVE_UP' } });
    await callJobs(whose.caller, 'retry_job', { params: { id } });
    await run(whose, acts().act, 'database');
    expect(await shown(whose, id)).toMatchObject({ state: 'succeeded', done: 4, result: { counted: 4 } });
  });

  it('has never more permissions than its request, and none that its principal has lost', async () => {
    const whose = await person();
    const narrow = { ...whose.caller, permissions: { sellers: ['read'] as const } };
    const id = idOf(await starter.start(itemKind, narrow, { input: {}, items: itemsOf(1) }));
    const { names, act } = acts();
    await run(whose, act);
    const gone = await person();
    const other = idOf(await starter.start(itemKind, gone.caller, { input: {}, items: itemsOf(1) }));
    await principals.disable(gone.scope, gone.principal.id, clock.now());
    await run(gone, act);
    expect(names).toEqual([]);
    for (const [of, one] of [
      [whose, id],
      [gone, other],
    ] as const)
      expect(await shown(of, one)).toMatchObject({
        state: 'failed',
        error: { code: 'INSUFFICIENT_PERMISSIONS' },
      });
  });

  it('of a stopped principal waits, however long, and goes on afterwards', async () => {
    const whose = await person();
    const id = idOf(await starter.start(countKind, whose.caller, { input: { upTo: 1 } }));
    stopped.add(whose.principal.id);
    for (let many = 0; many < 8; many += 1) {
      await run(whose, acts().act, 'database');
      clock.advance(31_000);
    }
    expect(await shown(whose, id)).toMatchObject({ done: 0 });
    stopped.delete(whose.principal.id);
    await run(whose, acts().act, 'database');
    expect(await shown(whose, id)).toMatchObject({ state: 'succeeded' });
  });

  it('goes on at once in another process when its own stops', async () => {
    const whose = await person();
    const id = idOf(await starter.start(countKind, whose.caller, { input: { upTo: 5 } }));
    const stopping = new AbortController();
    await run(
      whose,
      (name) => {
        if (name === '1') stopping.abort();
        return Promise.resolve('done');
      },
      'database',
      stopping.signal,
    );
    expect(await shown(whose, id)).toMatchObject({ state: 'running', done: 2, phase: 'counting' });
    const { names, act } = acts();
    await run(whose, act, 'database');
    expect(names).toEqual(['2', '3', '4']);
  });

  it('is shown and changed only by who may: by the permission of its kind and within the reach', async () => {
    const whose = await person();
    const id = idOf(await starter.start(itemKind, whose.caller, { input: {}, items: itemsOf(1) }));
    const { organizationId } = whose.scope;
    const as = async (permissions: Person['principal']['permissions']) =>
      principalCaller(await createPrincipal(store, organizationId, { kind: 'person', permissions }));
    const finance = await as({ ledger: ['read', 'write'] });
    const reader = { ...(await as({ sellers: ['read'] })), grants: whole({ sellers: ['read'] }) };
    const client = { kind: 'client', id: randomUUID() } as const;
    const sellers = { sellers: ['read', 'write'] } as const;
    const other = { ...(await as(sellers)), grants: [{ role: 'spec', permissions: sellers, scope: client }] };
    const stranger = (await person()).caller;
    for (const nobody of [finance, stranger, other])
      for (const route of ['show_job', 'cancel_job', 'retry_job', 'list_job_faults'])
        expect([route, await callJobs(nobody, route, { params: { id } })]).toMatchObject([
          route,
          { error: { code: 'NOT_FOUND' } },
        ]);
    expect(must(await callJobs(reader, 'show_job', { params: { id } }))).toMatchObject({ job_id: id });
    expect(await callJobs(reader, 'cancel_job', { params: { id } })).toMatchObject({
      error: { code: 'INSUFFICIENT_PERMISSIONS' },
    });
    const listed = async (caller: typeof reader) => must(await callJobs(caller, 'list_jobs'))['jobs'];
    expect(await listed(reader)).toHaveLength(1);
    expect(await listed({ ...finance, grants: whole({ ledger: ['read', 'write'] }) })).toEqual([]);
  });

  it('is forgotten with its items and faults a month after its end', async () => {
    const whose = await person();
    await starter.start(itemKind, whose.caller, { input: {}, items: itemsOf(3) });
    await run(whose, acts(['i1']).act);
    expect(await jobs.forget(whose.scope, clock.now())).toBe(0);
    expect(await jobs.forget(whose.scope, clock.now() + 1)).toBe(1);
    const { rows } = await store.inTenant(whose.scope, (client) =>
      client.query(`select (select count(*) from job)::int + (select count(*) from job_items)::int
        + (select count(*) from job_fault)::int + (select count(*) from credential)::int as rows`),
    );
    expect(rows).toEqual([{ rows: 0 }]);
  });
});

describe('jobs of several organizations', () => {
  it('take turns: one with hundreds of jobs delays the first job of another by one slice', async () => {
    const [busy, other] = [await person(), await person()];
    for (let many = 0; many < 200; many += 1)
      await starter.start(countKind, busy.caller, { input: { upTo: 1 } });
    await starter.start(countKind, other.caller, { input: { upTo: 2 } });
    const order: string[] = [];
    const act: Act = (name) => {
      order.push(name);
      clock.advance(2_001);
      return Promise.resolve('done');
    };
    const context = { atOnce: 1, workers: { ports: { clock }, onUnexpected: runs.onUnexpected } };
    const lanes = new Lanes(context as unknown as WorkersContext);
    const processor = new JobsProcessor(
      context as unknown as WorkersContext,
      { ...runs, jobFiles: jobFiles(store), kinds: runnable(kinds, { act }) },
      lanes,
    );
    const turn = ({ scope }: Person) => processor.process({ data: { ...scope, key: 'database' } });
    await Promise.all([turn(busy), turn(other)]);
    await turn(other);
    await lanes.stop();
    // The units of the other have the numbers 0 and 1: between them the busy one has one slice.
    expect(order.slice(0, 4)).toEqual(['0', '0', '0', '1']);
  });
});

/** A role with these permissions in the whole organization. */
function whole(permissions: Person['principal']['permissions']) {
  return [{ role: 'spec', permissions, scope: { kind: 'organization' } }] as const;
}
