/**
 * `switchyard ledger archive` over three months, and the verification of its files, each in a process of its own: time,
 * the most memory that the process had, and the size of the files. The floor: COPY of the same rows to files, which
 * checks nothing and drops nothing. Without fsync.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { ledgerStore, openStore } from '@switchyard/store';
import { createBookedBuy, createOrganization, createTestDatabase, makePastMonths } from '@switchyard/testing';
import { observationOf } from './verify-ledger.mjs';

const months = ['2026-01', '2026-02', '2026-03'];
const before = '2026-04';
const tables = ['ledger_entry', 'ledger_posting', 'report_version', 'journal_block'];
const firstDay = Date.UTC(2026, 0, 1);
const dayMs = 86_400_000;
const days = 89;
const packages = 20;
const sellers = 50;
const batchSize = 256;
const own = fileURLToPath(import.meta.url);

if (process.argv[1] === own) {
  const { archiveLedger, verifyArchives } =
    await import('../../apps/server/dist/main/commands/archive-ledger.js');
  const [, , what, of] = process.argv;
  const at = JSON.parse(of);
  const start = performance.now();
  const done = await (what === 'archive' ? archiveLedger({ ...at, before }) : verifyArchives(at));
  const ms = performance.now() - start;
  const wrong = done.ok
    ? done.value.find((one) => what === 'verify' && one.verification?.ok !== true)
    : done.error;
  const { maxRSS, userCPUTime } = process.resourceUsage();
  console.log(
    JSON.stringify({
      ms,
      mb: maxRSS / 1_024,
      cpu: userCPUTime / 1_000,
      wrong: wrong && String(wrong.message ?? wrong.fault ?? wrong.verification.problems[0]?.message),
    }),
  );
  process.exit(0);
}

export async function ledgerArchive({ rows }) {
  const database = await createTestDatabase();
  const store = openStore(database.appUrl);
  const owner = new pg.Pool({ connectionString: database.ownerUrl, max: 1 });
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-bench-archive-'));
  try {
    await makePastMonths(owner, [...months, before]);
    const scope = { organizationId: (await createOrganization(store)).id };
    const booked = await book(store, scope, Math.ceil(rows / (packages * days)));
    for (const month of months)
      await owner.query(
        `insert into accounting_period (organization_id, period, state, updated_at) values ($1, $2, 'closed', now())`,
        [scope.organizationId, month],
      );
    await owner.query('vacuum analyze');
    const copies = join(folder, 'copies');
    mkdirSync(copies, { mode: 0o777 });
    const start = performance.now();
    for (const table of tables)
      await owner.query(`copy (select * from ${table}) to '${join(copies, table)}'`);
    const copied = performance.now() - start;
    const at = {
      env: { DATABASE_URL: database.appUrl, DATABASE_OWNER_URL: database.ownerUrl },
      dataDir: folder,
      folder: join(folder, 'archive'),
    };
    const run = (what) => {
      const { stdout, stderr } = spawnSync(process.execPath, [own, what, JSON.stringify(at)], {
        encoding: 'utf8',
      });
      if (stdout === '') throw new Error(stderr);
      return JSON.parse(stdout);
    };
    const size = () => databaseSize(owner);
    const full = await size();
    const archived = run('archive');
    const left = await size();
    const verified = run('verify');
    const row = (contender, { ms, mb, cpu, wrong }, megabytes) => ({
      scenario: `archive three months of ${booked * packages} report rows in ${booked} entries; tables ${full} MB, then ${left} MB`,
      contender,
      seconds: Math.round(ms / 100) / 10,
      ...(cpu !== undefined && { 'CPU s': Math.round(cpu / 100) / 10, 'most memory MB': Math.round(mb) }),
      'files MB': megabytes,
      errors: wrong === undefined ? [] : [wrong],
    });
    return [
      [
        row('ledger archive', archived, sizeOf(at.folder)),
        row('ledger verify --archive', verified, sizeOf(at.folder)),
        row('COPY', { ms: copied }, sizeOf(copies)),
      ],
    ];
  } finally {
    await store.close();
    await owner.end();
    await database.stop();
    rmSync(folder, { recursive: true });
  }
}

/** Each day's reports of all buys, booked on the day after it. Answers the number of reports. */
async function book(store, scope, count) {
  const buys = [];
  const names = Array.from({ length: packages }, (_, at) => `p${at}`);
  for (let at = 0; at < count; at += 1) {
    const { connectionId: id, seller: slug } = buys[at % sellers] ?? {};
    const connection = at < sellers ? {} : { connection: { id, slug } };
    buys.push(await createBookedBuy(store, scope.organizationId, { packages: names, ...connection }));
  }
  const ledger = ledgerStore(store);
  for (let day = 0; day < days; day += 1)
    for (let at = 0; at < count; at += batchSize) {
      const some = Array.from({ length: Math.min(batchSize, count - at) }, (_, more) =>
        observationOf(buys, day * count + at + more, firstDay),
      );
      const outcomes = await ledger.applyReports(scope, some, { now: firstDay + (day + 1) * dayMs + 60_000 });
      const refused = outcomes.find(({ kind }) => kind !== 'applied');
      if (refused !== undefined) throw new Error(JSON.stringify(refused));
    }
  return count * days;
}

async function databaseSize(owner) {
  const { rows } = await owner.query(
    `select (sum(pg_total_relation_size(c.oid)) / 1e6)::int as mb from pg_class c
     where c.relkind = 'r' and c.relname ~ '^(ledger_entry|ledger_posting|report_version)_'`,
  );
  return rows[0].mb;
}

function sizeOf(folder) {
  const bytes = (path) =>
    readdirSync(path, { withFileTypes: true }).reduce(
      (sum, one) =>
        sum + (one.isDirectory() ? bytes(join(path, one.name)) : statSync(join(path, one.name)).size),
      0,
    );
  return Math.round(bytes(folder) / 1e6);
}
