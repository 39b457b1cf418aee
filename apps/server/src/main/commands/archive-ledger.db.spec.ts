import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import type { Observation } from '@switchyard/ledger';
import {
  archiveMonths,
  eventLog,
  jobRepository,
  ledgerStore,
  openStore,
  principalDirectory,
  spendBy,
} from '@switchyard/store';
import { parquetRows } from '@switchyard/tables';
import {
  createBookedBuy,
  createOrganization,
  createPrincipal,
  makePastMonths,
  openTestStore,
  seededRandom,
  type BookedBuyRows,
} from '@switchyard/testing';
import { allPermissions, type Principal } from '@switchyard/tenancy';
import { must, ok, type JsonObject } from '@switchyard/values';
import { archiveOfMonths } from '../../ledger/archive-months.js';
import { reportFileRoutes } from '../../ledger/report-files.routes.js';
import { principalCaller } from '../../platform/caller/principal-caller.js';
import { systemClock } from '../../platform/clock.js';
import { runJobs, runnable } from '../../platform/jobs/run-jobs.js';
import { jobStarter } from '../../platform/jobs/start-job.js';
import { callRoutes } from '../../platform/routes/testkit/call-route.js';
import { archiveLedger, monthArchive, verifyArchives } from './archive-ledger.js';

const { store, database, stop } = await openTestStore(openStore);
const owner = new pg.Pool({ connectionString: database.ownerUrl, max: 1 });
const observer = new pg.Pool({ connectionString: database.ownerUrl, max: 1 });
const ledger = ledgerStore(store);
const folder = mkdtempSync(join(tmpdir(), 'switchyard-archive-'));
const at = {
  env: { DATABASE_URL: database.appUrl, DATABASE_OWNER_URL: database.ownerUrl },
  dataDir: folder,
  folder: join(folder, 'archive'),
};
afterAll(() => owner.end());
afterAll(() => observer.end());
afterAll(stop);
afterAll(() => rmSync(folder, { recursive: true }));

const dayMs = 86_400_000;
const noItems = { seal: () => Promise.resolve(ok([])), open: () => Promise.resolve([]) };
const january = Date.UTC(2024, 0, 1);
const february = Date.UTC(2024, 1, 1);
const march = Date.UTC(2024, 2, 1);

let a: BookedBuyRows;
let b: BookedBuyRows;
let sequence = 0;

/** Stores a message, and answers the hash of its bytes. */
async function receive(buy: BookedBuyRows, at: number, state: string, sealed?: string): Promise<string> {
  const body = Buffer.from(`message ${String(sequence)} ${state} ${String(sealed)}`);
  const hash = createHash('sha256').update(body).digest('hex');
  await store.inTenant(buy, (client) =>
    client.query(
      `insert into inbox_event (id, organization_id, registration_id, connection_id, sender, kind, headers, body,
         body_hash, verdict, state, received_at, sealed_id)
       values (gen_random_uuid(), $1, 'r', $2, 's', 'report', '[["a","b"]]', $3, $4, '{"steps":[]}', $5, $6, $7)`,
      [buy.organizationId, buy.connectionId, body, hash, state, new Date(at), sealed ?? null],
    ),
  );
  return hash;
}

const messagesOf = async (buy: BookedBuyRows) =>
  (await eventLog(store).list(buy, { limit: 50, reach: { kind: 'everything' } }))
    .map(({ state }) => state)
    .sort();

/** Books a report on one day of January 2024, at another time. */
async function report(
  buy: BookedBuyRows,
  at: number,
  day: number,
  spend: string,
  isFinal = false,
): Promise<void> {
  sequence += 1;
  const observation: Observation = {
    connectionId: buy.connectionId,
    source: 'webhook',
    stream: `address of ${buy.legId}`,
    report: {
      notificationType: 'scheduled',
      sequenceNumber: sequence,
      period: {
        start: new Date(january + day * dayMs).toISOString(),
        end: new Date(january + (day + 1) * dayMs).toISOString(),
      },
      currency: 'EUR',
      partialData: false,
      deliveries: [
        {
          mediaBuyId: buy.sellerMediaBuyId ?? '',
          status: 'active',
          isAdjusted: false,
          totals: { spend: '0', original: {} },
          byPackage: [{ packageId: buy.packages[0] ?? '', spend, original: {}, isFinal }],
        },
      ],
    },
    reportedAt: at,
    receivedAt: at,
    eventId: randomUUID(),
    message: { sha256: await receive(buy, at, 'applied'), sender: 's', proof: 'signed' },
    legId: buy.legId,
  };
  const [outcome] = await ledger.applyReports(buy, [observation], { now: at });
  expect(outcome).toMatchObject({ kind: 'applied' });
}

const close = (buy: BookedBuyRows, period: string) =>
  owner.query(
    `insert into accounting_period (organization_id, period, state, updated_at) values ($1, $2, 'closed', now())`,
    [buy.organizationId, period],
  );

const spendOf = (buy: BookedBuyRows) => spendBy(store, buy, { by: ['day'], reach: { kind: 'everything' } });

async function partitions(): Promise<readonly string[]> {
  const { rows } = await owner.query<{ name: string }>(
    `select relname as name from pg_class where relispartition and relname like 'ledger\\_entry%' and relkind = 'r' order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** The verdict on an organization's files and tables. */
async function verdictOf(buy: BookedBuyRows) {
  const read = must(await verifyArchives(at));
  return read.find(({ organization }) => organization === buy.organizationId);
}

/** Runs `switchyard ledger archive` as a process of its own. */
function archiveProcess(before: string) {
  const command = fileURLToPath(new URL('../../../../cli/bin/switchyard.mjs', import.meta.url));
  const args = [command, 'ledger', 'archive', '--before', before, '--to', at.folder, '--data', at.dataDir];
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'], IS_BUILT: 'true', ...at.env },
    stdio: 'ignore',
  });
  return { child, ended: once(child, 'exit') };
}

/** What each session of an archive waits for. */
async function sessions(): Promise<readonly (string | null)[]> {
  const { rows } = await observer.query<{ wait: string | null }>(
    `select wait_event_type as wait from pg_stat_activity
     where application_name = 'switchyard archive' and datname = current_database()`,
  );
  return rows.map(({ wait }) => wait);
}

const intact = (entries: bigint) => ({ verification: { ok: true, entries, problems: [] } });

beforeAll(async () => {
  await makePastMonths(owner, ['2024-01', '2024-02', '2024-03']);
  a = await createBookedBuy(store, (await createOrganization(store)).id);
  b = await createBookedBuy(store, (await createOrganization(store)).id);
  await report(a, january + 2 * dayMs, 0, '10');
  await report(a, january + 3 * dayMs, 0, '11');
  await report(a, january + 4 * dayMs, 1, '20');
  await report(b, january + 4 * dayMs, 1, '7');
  await receive(a, january + 4 * dayMs, 'quarantined');
  await receive(a, january + 4 * dayMs, 'applied', randomUUID());
  await receive(a, january + 4 * dayMs, 'refused');
  await report(a, february + dayMs, 1, '21');
  // Another process, whose clock is behind: the block comes later, its ids are of January.
  await report(a, february - 1, 2, '30');
  await report(a, march + dayMs, 3, '40');
});

it('refuses a month that has not begun, and one whose entries post to an open period, and changes nothing', async () => {
  expect(await archiveLedger({ ...at, before: '2024-13' })).toMatchObject({
    error: { code: 'invalid_month' },
  });
  expect(await archiveLedger({ ...at, before: '2999-01' })).toMatchObject({
    error: { code: 'invalid_month' },
  });
  expect(await archiveLedger({ ...at, before: '2023-01' })).toMatchObject({
    error: { code: 'nothing_to_archive', message: expect.stringContaining('all months before 2024-01') },
  });
  expect(await archiveLedger({ ...at, before: '2024-02' })).toMatchObject({ error: { code: 'period_open' } });
  expect(await partitions()).toContain('ledger_entry_2024_01');
});

it('archives nothing if a row belongs to no entry, or the folder cannot be written', async () => {
  for (const buy of [a, b]) await close(buy, '2024-01');
  const stray = `from ledger_posting where line = 0 and organization_id = '${b.organizationId}'`;
  await store.inTenant(b, (client) =>
    client.query(
      `insert into ledger_posting (entry_id, line, organization_id, account, seller, day, currency, amount_micros)
       select entry_id, 77, organization_id, account, seller, day, currency, amount_micros ${stray}`,
    ),
  );
  const refused = { error: { code: 'not_intact', message: expect.stringContaining('ledger_posting') } };
  // One that hangs on an entry is seen as the entry is read; another is counted before anything is dropped.
  expect(await archiveLedger({ ...at, before: '2024-02' })).toMatchObject({ error: { code: 'not_intact' } });
  const rest = async (statement: string) => {
    await owner.query('alter table by_month.ledger_posting_2024_01 no force row level security');
    await owner.query(statement);
    await owner.query('alter table by_month.ledger_posting_2024_01 force row level security');
  };
  const [lowest] = (await owner.query<{ id: string }>(`select by_month.first_id('2024-01-02')::text as id`))
    .rows;
  await rest(`update by_month.ledger_posting_2024_01 set entry_id = '${lowest?.id ?? ''}' where line = 77`);
  expect(await archiveLedger({ ...at, before: '2024-02' })).toMatchObject(refused);
  await rest('delete from by_month.ledger_posting_2024_01 where line = 77');
  writeFileSync(join(folder, 'file'), '');
  const inFile = { ...at, folder: join(folder, 'file'), before: '2024-02' };
  expect(await archiveLedger(inFile)).toMatchObject({ error: { code: 'folder' } });
  expect(await partitions()).toContain('ledger_entry_2024_01');
});

it.each([
  ['writes the files', 'select'],
  // What it waits for: it may read these tables meanwhile.
  ['locks what it drops', 'lock table inbox_event in access share mode'],
  ['has dropped everything and says so', 'lock table ledger_archive in share mode'],
])('changes nothing when it is killed while it %s, and blocks no other process', async (_step, hold) => {
  const blocker = await owner.connect();
  await blocker.query('begin');
  await blocker.query(hold);
  const { child, ended } = archiveProcess('2024-02');
  const month = join(at.folder, '2024-02');
  const parts = () => (existsSync(month) ? readdirSync(month).filter((name) => name.endsWith('.part')) : []);
  const isThere = async () => (hold === 'select' ? parts().length > 0 : (await sessions()).includes('Lock'));
  try {
    while (child.exitCode === null && !(await isThere())) await setImmediate();
    child.kill('SIGKILL');
    await ended;
    expect(child.signalCode).toBe('SIGKILL');
    // Its session ends, though what it waits for is not free: others can book.
    for (const end = Date.now() + 10_000; (await sessions()).length > 0;)
      expect(Date.now()).toBeLessThan(end);
  } finally {
    await blocker.query('rollback');
    blocker.release();
  }
  expect(await partitions()).toContain('ledger_entry_2024_01');
  const verified = await ledger.verify(a);
  expect(verified).toMatchObject({ ok: true, entries: 6n });
  expect(verified.archive).toBeUndefined();
  expect(await messagesOf(a)).toHaveLength(9);
});

it('moves closed months to files; counted versions, spend and the chain do not change', async () => {
  const [delivered, spent] = [await ledger.deliveredBy(a, a.mediaBuyId), await spendOf(a)];
  const whole = await ledger.verify(a);
  expect(whole).toMatchObject({ ok: true, entries: 6n });
  const done = await archiveLedger({ ...at, before: '2024-02' });
  expect(done).toMatchObject({ ok: true });
  if (!done.ok) return;
  expect(done.value.map(({ organization, entries }) => [organization, entries])).toEqual(
    expect.arrayContaining([
      [a.organizationId, 3n],
      [b.organizationId, 1n],
    ]),
  );
  expect(await partitions()).not.toContain('ledger_entry_2024_01');
  expect(await ledger.deliveredBy(a, a.mediaBuyId)).toEqual(delivered);
  expect(await spendOf(a)).toEqual(spent);
  const after = await ledger.verify(a);
  expect(after).toMatchObject({ ok: true, head: whole.head, sums: whole.sums, entries: 6n });
  expect(after.archive).toMatchObject({ before: '2024-02', head: { number: 3n, entryTotal: 3n } });
  // The entries that stay: of February, of the clock behind, and of March.
  expect(await ledger.entriesOf(a, a.mediaBuyId)).toHaveLength(3);
  expect(await verdictOf(a)).toMatchObject(intact(6n));
  expect(await verdictOf(b)).toMatchObject(intact(1n));
});

it('finds by the files that the sum of a package differs on an archived day', async () => {
  const move = (micros: number) =>
    store.inTenant(a, (client) =>
      client.query(
        `update package_spend set days[1] = days[1] + $1, days[2] = days[2] - $1 where month = '2024-01'`,
        [micros],
      ),
    );
  await move(1);
  const { problems } = (await verdictOf(a))?.verification ?? {};
  await move(-1);
  expect(problems).toMatchObject([
    { code: 'spent_differs', at: expect.stringMatching(/ p1 2024-01-01 EUR$/) },
    { code: 'spent_differs', at: expect.stringMatching(/ p1 2024-01-02 EUR$/) },
  ]);
  expect(await verdictOf(a)).toMatchObject(intact(6n));
});

it('moves their messages to files too, except pending ones and those with a secret, and finds them by the names in entries', async () => {
  // Two of later months, the one with a secret, and the one in quarantine.
  expect(await messagesOf(a)).toEqual(['applied', 'applied', 'applied', 'quarantined']);
  expect(await messagesOf(b)).toEqual([]);
  expect(await verdictOf(a)).toMatchObject({ messages: { named: 3, proven: 3 } });
  const path = join(at.folder, '2024-02', a.organizationId, 'messages.parquet');
  const columns = { state: 'text', body_base64: 'text', body_sha256: 'text' } as const;
  const rows: unknown[] = [];
  for await (const group of parquetRows(path, columns)) rows.push(...group.map(({ state }) => state));
  // One came at the end of the month, and its entry is of the next.
  expect(rows.toSorted()).toEqual(['applied', 'applied', 'applied', 'applied', 'refused']);
});

it('grants no right to the remaining rows, and the application no right to mark rows as archived', async () => {
  const { rows } = await owner.query<{ name: string }>(
    `select relname as name from pg_class where relispartition and relkind in ('r', 'p') and not (relrowsecurity and relforcerowsecurity)`,
  );
  expect(rows).toEqual([]);
  await expect(
    store.inTenant(a, (client) =>
      client.query(
        `insert into ledger_archive (organization_id, before, number, hash, entry_total, sealed_at, sums, files, archived_at)
         values ($1, '2030-01', 99, '', 99, now(), '{}', '{}', now())`,
        [a.organizationId],
      ),
    ),
  ).rejects.toThrow('Only the owner');
  await expect(owner.query('select build_package_spend($1)', [a.organizationId])).rejects.toThrow(
    'archived in part',
  );
});

it('posts a late figure for an archived day, and verifies files and tables together after it', async () => {
  await report(a, march + 2 * dayMs, 0, '12');
  const [first] = await ledger.deliveredBy(a, a.mediaBuyId);
  expect(first?.spendMicros).toBe(103_000_000n);
  expect(await ledger.verify(a)).toMatchObject({ ok: true, entries: 7n });
  expect(await verdictOf(a)).toMatchObject(intact(7n));
});

it('continues the archive by the next month, as a job of the operator that was canceled and repeated', async () => {
  for (const buy of [a, b]) await close(buy, '2024-02');
  const operator = await createPrincipal(store, a.organizationId, { permissions: allPermissions });
  const colleague = await createPrincipal(store, a.organizationId, { permissions: allPermissions });
  const jobs = jobRepository(store);
  const told: number[] = [];
  const deps = {
    archivesMonths: monthArchive(at.folder, (job) =>
      archiveMonths(database.ownerUrl, {
        ...job,
        onWritten: async (done, total) => {
          told.push(done);
          // Somebody cancels the first one while it writes.
          if (told.length === 1) await jobs.cancel(a, first, Date.now());
          await job.onWritten?.(done, total);
        },
      }),
    ),
    local: { operatorId: operator.id },
    jobStarter: jobStarter({
      ...{ jobs, items: noItems, clock: systemClock, newId: randomUUID, notify: () => undefined },
    }),
    ...{ jobs, clock: systemClock },
  };
  const call = callRoutes(reportFileRoutes, deps);
  const begin = (who: Principal, body: JsonObject = { before: '2024-03' }) =>
    call(principalCaller(who), 'archive_ledger', { body });
  const work = () =>
    runJobs(
      {
        ...{ jobs, items: noItems, principals: principalDirectory(store), clock: systemClock },
        ...{ isStopped: () => false, onUnexpected: () => undefined },
      },
      runnable([archiveOfMonths], deps),
      'files',
      a,
      new AbortController().signal,
    );
  const shown = async (id: string) =>
    jobs.find(a, id, [{ kinds: [archiveOfMonths.name], reach: { kind: 'everything' } }]);
  expect(await begin(colleague)).toMatchObject({ error: { code: 'INSUFFICIENT_PERMISSIONS' } });
  const first = must(await begin(operator))['job_id'] as string;
  await work();
  expect(await shown(first)).toMatchObject({ state: 'canceled' });
  expect(await partitions()).toContain('ledger_entry_2024_02');
  await jobs.retry(a, first, Date.now(), (cursor) => ({ cursor, forgets: false }));
  await work();
  expect(await shown(first)).toMatchObject({
    ...{ state: 'succeeded', done: told.at(-1), total: told.at(-1) },
    result: { before: '2024-03', organizations: 1, entries: '5' },
  });
  expect(await ledger.entriesOf(a, a.mediaBuyId)).toHaveLength(2);
  expect(await ledger.verify(a)).toMatchObject({ ok: true, entries: 7n, archive: { before: '2024-03' } });
  expect(await verdictOf(a)).toMatchObject({ ...intact(7n), messages: { named: 5, proven: 5 } });
  expect(await messagesOf(a)).toEqual(['applied', 'applied', 'applied', 'quarantined']);
  expect(await verdictOf(b)).toMatchObject(intact(1n));
  expect(await archiveLedger({ ...at, before: '2024-03' })).toMatchObject({
    error: { code: 'nothing_to_archive' },
  });
});

it('is complete or not done after a kill, and another run continues', async () => {
  for (const buy of [a, b]) await close(buy, '2024-03');
  const random = seededRandom(20261127);
  const before = await ledger.verify(a);
  const delivered = await ledger.deliveredBy(a, a.mediaBuyId);
  const began = Date.now();
  await archiveProcess('2024-03').ended;
  const wholeMs = Date.now() - began;
  let killed = 0;
  for (let isDone = false; !isDone;) {
    const { child, ended } = archiveProcess('2024-04');
    const timer = setTimeout(
      () => child.kill('SIGKILL'),
      wholeMs * (0.3 + killed * 0.1) + random.between(0, 50),
    );
    await ended;
    clearTimeout(timer);
    if (child.signalCode !== null) killed += 1;
    const { archive, ...verified } = await ledger.verify(a);
    expect(verified).toMatchObject({ ok: true, entries: 7n, head: before.head, sums: before.sums });
    isDone = archive?.before === '2024-04';
    expect((await partitions()).includes('ledger_entry_2024_03')).toBe(!isDone);
    expect(await verdictOf(a)).toMatchObject(intact(7n));
    expect(await ledger.deliveredBy(a, a.mediaBuyId)).toEqual(delivered);
  }
  expect(killed).toBeGreaterThan(1);
});

it('finds an edit of a retained version, and a wrong or missing file', async () => {
  await owner.query('alter table by_month.report_version_rest no force row level security');
  await owner.query(
    `update by_month.report_version_rest set spend_micros = spend_micros + 1 where is_current and is_archived`,
  );
  await owner.query('alter table by_month.report_version_rest force row level security');
  const edited = (await verdictOf(a))?.verification;
  expect(edited?.ok).toBe(false);
  expect(edited?.problems.map(({ code }) => code)).toContain('version_differs');

  const path = join(at.folder, '2024-02', a.organizationId, 'entries.parquet');
  const bytes = readFileSync(path);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  writeFileSync(path, bytes);
  expect((await verdictOf(a))?.fault).toContain('SHA-256 differs');
  rmSync(path);
  expect((await verdictOf(a))?.fault).toContain('cannot be read');
  expect(existsSync(join(at.folder, '2024-02', b.organizationId, 'archive.json'))).toBe(true);
});
