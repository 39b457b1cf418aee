/**
 * Inbox to ledger: one worker, with the server's own code, reads stored webhooks, decides, posts and marks them. The
 * floor: the same bodies parsed with JSON.parse, and their figures in one plain table by the same number of batched
 * INSERTs. Both run on one PostgreSQL, rounds interleaved, fsync off for both.
 */
import { performance } from 'node:perf_hooks';
import pg from 'pg';
import { openStore } from '@switchyard/store';
import { createBookedBuy, createOrganization, createTestDatabase } from '@switchyard/testing';
import { ledgerArchive } from './ledger-archive.mjs';
import { ledgerMonths } from './ledger-months.mjs';
import { ledgerSellers } from './ledger-sellers.mjs';
import {
  applyWaiting,
  batchSize,
  makeFloor,
  postmasterOf,
  storeInbox,
  throughFloor,
  workerOf,
} from './ledger-workers.mjs';
import { bodiesOf } from './report-bodies.mjs';
import { median } from './statistics.mjs';
import { verifyLedger } from './verify-ledger.mjs';
import { databaseCpuMs } from './webhooks/machine.mjs';

/**
 * All of the ledger's measurements, or `only` one: `inbox` (reports per second), `sellers` (one writer or several),
 * `months` (finance queries over `rows` report rows), `verify` (of a tenth as many entries), `archive` (of three months).
 */
export async function ledger({ quick, only, rows = quick ? 100_000 : 1_000_000 }) {
  const parts = {
    inbox: () => inbox({ quick }),
    sellers: () => ledgerSellers({ quick }),
    months: () => ledgerMonths({ quick, rows }),
    verify: () => verifyLedger({ quick, entries: rows / 10 }),
    archive: () => ledgerArchive({ rows }),
  };
  const tables = [];
  for (const [name, run] of Object.entries(parts))
    if (only === undefined || only === name) tables.push(...(await run()));
  return tables;
}

async function inbox({ quick }) {
  const database = await createTestDatabase();
  const store = openStore(database.appUrl);
  const owner = new pg.Pool({ connectionString: database.ownerUrl, max: 2 });
  try {
    const postmaster = await postmasterOf(owner);
    await makeFloor(owner);
    const tables = [];
    for (const packages of [1, 3]) tables.push(await measure({ store, owner, postmaster, packages, quick }));
    return tables;
  } finally {
    await store.close();
    await owner.end();
    await database.stop();
  }
}

async function measure({ store, owner, postmaster, packages, quick }) {
  const rounds = quick ? 3 : 7;
  const perRound = quick ? 2_000 : 4_000;
  const scope = { organizationId: (await createOrganization(store)).id };
  const buys = [];
  for (let index = 0; index < 100; index += 1) {
    const names = Array.from({ length: packages }, (_, at) => `package_${at}`);
    buys.push(await createBookedBuy(store, scope.organizationId, { packages: names }));
  }
  const worker = workerOf(store);
  const timings = { ledger: [], floor: [] };
  for (let round = -1; round < rounds; round += 1) {
    const bodies = bodiesOf(buys, (round + 1) * perRound, perRound);
    await storeInbox(owner, scope, bodies);
    const ours = await timed(postmaster, () => applyWaiting(worker, scope));
    const floor = await timed(postmaster, () => throughFloor(owner, bodies));
    if (ours.value !== perRound || floor.value !== perRound) throw new Error('Not every report was taken.');
    if (round < 0) continue;
    timings.ledger.push(ours);
    timings.floor.push(floor);
  }
  const [verdict, states] = [await worker.ledger.verify(scope), await worker.inbox.count(scope)];
  const total = (rounds + 1) * perRound;
  if (!verdict.ok || verdict.entries !== BigInt(total) || states.applied !== Math.min(total, 10_000))
    throw new Error('The ledger is not whole.');
  const rate = ({ ms }) => perRound / (ms / 1_000);
  const floorRate = median(timings.floor.map(rate));
  const row = (contender, played) => ({
    scenario: `inbox to ledger, ${packages} package${packages === 1 ? '' : 's'} per report, batches of ${batchSize}`,
    contender,
    'reports/s (median)': Math.round(median(played.map(rate))),
    best: Math.round(Math.max(...played.map(rate))),
    'of the floor': `${((100 * median(played.map(rate))) / floorRate).toFixed(1)} %`,
    'CPU µs': Math.round(median(played.map(({ own }) => (own * 1_000) / perRound))),
    'database CPU µs': Math.round(median(played.map(({ database }) => (database * 1_000) / perRound))),
    rounds,
    errors: [],
  });
  return [row('inbox to ledger', timings.ledger), row('batched INSERT', timings.floor)];
}

/** `own` and `database`: milliseconds of CPU of this process, and of all processes of PostgreSQL. */
async function timed(postmaster, work) {
  const cpu = process.cpuUsage();
  const database = databaseCpuMs(postmaster);
  const start = performance.now();
  const value = await work();
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return { value, ms, own: (user + system) / 1_000, database: databaseCpuMs(postmaster) - database };
}
