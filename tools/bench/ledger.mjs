/**
 * Inbox to ledger: one worker, with the server's own code, reads stored webhooks, decides, posts and marks them. The
 * floor: the same bodies parsed with JSON.parse, and their figures in one plain table by the same number of batched
 * INSERTs. Both run on one PostgreSQL, rounds interleaved, fsync off for both.
 */
import { performance } from 'node:perf_hooks';
import pg from 'pg';
import {
  connectionDirectory,
  impairments,
  inboxWork,
  ledgerStore,
  openStore,
  organizations,
  reportWatches,
} from '@switchyard/store';
import { createBookedBuy, createOrganization, createTestDatabase } from '@switchyard/testing';
import { ledgerArchive } from './ledger-archive.mjs';
import { ledgerMonths } from './ledger-months.mjs';
import { ledgerSellers } from './ledger-sellers.mjs';
import { bodiesOf } from './report-bodies.mjs';
import { median } from './statistics.mjs';
import { verifyLedger } from './verify-ledger.mjs';
import { databaseCpuMs } from './webhooks/machine.mjs';

const { applyInbox } = await import(
  new URL('../../apps/server/dist/webhooks/in/apply-inbox.js', import.meta.url)
);
const batchSize = 256;
export const applyWaiting = async (worker, scope) => (await applyInbox(worker, scope)).done;

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

export async function postmasterOf(owner) {
  const { rows } = await owner.query(
    `select split_part(pg_read_file('postmaster.pid'), E'\n', 1)::int as pid`,
  );
  return rows[0].pid;
}

/** One worker of the server, without HTTP and without sellers. */
export function workerOf(store) {
  const book = ledgerStore(store);
  const clock = { now: () => Date.now() };
  return {
    ports: { clock, connections: connectionDirectory(store) },
    store,
    inbox: inboxWork(store),
    ledger: book,
    impairments: impairments(store, book),
    watches: reportWatches(store),
    organizations: organizations(store),
    onUnexpected: (error) => {
      throw error;
    },
  };
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

export async function storeInbox(owner, { organizationId }, bodies) {
  const buys = [...new Map(bodies.map(({ buy }) => [buy.legId, buy])).values()];
  await owner.query(
    `insert into webhook_registration
       (id, organization_id, connection_id, leg_id, operation_id, kind, mode, seller_operation_id, created_at)
     select 'r' || leg, $1, connection, leg, operation, 'report', 'signed', 'bench', now()
     from unnest($2::uuid[], $3::uuid[], $4::uuid[]) b(connection, leg, operation) on conflict do nothing`,
    [
      organizationId,
      buys.map((buy) => buy.connectionId),
      buys.map((buy) => buy.legId),
      buys.map((buy) => buy.operationId),
    ],
  );
  await owner.query(
    `insert into inbox_event (id, organization_id, registration_id, connection_id, sender, kind, headers, body,
                              body_hash, verdict, state, received_at)
     select gen_random_uuid(), $1, 'r' || leg, connection, 'https://seller.example', 'delivery_report', '[]', body,
            '', '{}', 'received', now() + place * interval '1 microsecond'
     from unnest($2::uuid[], $3::uuid[], $4::bytea[]) with ordinality b(connection, leg, body, place)`,
    [
      organizationId,
      bodies.map(({ buy }) => buy.connectionId),
      bodies.map(({ buy }) => buy.legId),
      bodies.map(({ bytes }) => bytes),
    ],
  );
  await owner.query('analyze inbox_event');
}

export async function makeFloor(owner) {
  await owner.query(`create table bench_floor (buy text, package text, starts timestamptz, ends timestamptz,
    sequence int, currency text, spend numeric, impressions bigint, received_at timestamptz default now(),
    primary key (buy, package, starts, ends, sequence))`);
}

export async function throughFloor(owner, bodies) {
  let stored = 0;
  for (let at = 0; at < bodies.length; at += batchSize) {
    const batch = bodies.slice(at, at + batchSize);
    const rows = batch.flatMap(({ bytes }) => {
      const { result } = JSON.parse(bytes.toString('utf8'));
      const [delivery] = result.media_buy_deliveries;
      return delivery.by_package.map((item) => ({ result, delivery, item }));
    });
    const column = (read) => rows.map(read);
    await owner.query({
      name: 'floor',
      text: `insert into bench_floor (buy, package, starts, ends, sequence, currency, spend, impressions)
             select * from unnest($1::text[], $2::text[], $3::timestamptz[], $4::timestamptz[], $5::int[], $6::text[],
                                  $7::numeric[], $8::bigint[])`,
      values: [
        column(({ delivery }) => delivery.media_buy_id),
        column(({ item }) => item.package_id),
        column(({ result }) => result.reporting_period.start),
        column(({ result }) => result.reporting_period.end),
        column(({ result }) => result.sequence_number),
        column(({ result }) => result.currency),
        column(({ item }) => item.spend),
        column(({ item }) => item.impressions),
      ],
    });
    stored += batch.length;
  }
  return stored;
}
