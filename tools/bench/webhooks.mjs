/**
 * A webhook in: verified, durable, acknowledged after commit. Signed delivery reports of about 1.3 KB are posted, 64
 * in flight, to four receivers in turn, in interleaved rounds:
 *
 * - the floor: bare Fastify, Ed25519 and digest checked, one INSERT;
 * - the same with the public SDK's verifier and its PostgreSQL replay store;
 * - our HTTP server alone, as `--role http` runs it: every step of the receiver, replay claims and evidence;
 * - `switchyard up`: the same server while its workers book the reports into the ledger beside it.
 *
 * All of them write with fsync. Sender, receivers and databases share the machine, so the CPU time per webhook, of the
 * receiver and of its database, is the steadier figure. Medians of the rounds.
 */
import { spawn, execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { generateSigningKey, publicJwk } from '@switchyard/signing';
import { openDatabase, openStore } from '@switchyard/store';
import { createBookedBuy, createOrganization } from '@switchyard/testing';
import { startWorker } from './field.mjs';
import { bodiesOf } from './report-bodies.mjs';
import { median, quantile, spread } from './statistics.mjs';
import { cpuMsOf, databaseCpuMs, postgresOf } from './webhooks/machine.mjs';

const sellers = 20;
const packages = Array.from({ length: 8 }, (_, at) => `package_${at}`);
/** Enough for all days: a report beyond the limit waits for a person, and costs less than one that is booked. */
const budgetMicros = 1_000_000_000_000n;
const bin = fileURLToPath(new URL('../../apps/cli/bin/switchyard.mjs', import.meta.url));

export async function webhooks({ quick, sdk, wholeServer }) {
  const rounds = quick ? 3 : 7;
  const perRound = quick ? 1_500 : 3_000;
  const closers = [];
  try {
    const key = await publishedKey(closers);
    const database = await ownDatabase(closers);
    const sender = worker('sender.mjs', closers);
    const floor = await receiver('bare', 'bare Fastify + verify + INSERT (floor)', database, key, closers);
    const field = [
      floor,
      await receiver('http', 'switchyard, HTTP alone', database, key, closers),
      ...(wholeServer ? [await product(key, closers)] : []),
      ...(sdk ? [await receiver('sdk', "@adcp/sdk's receiver + INSERT", database, key, closers)] : []),
    ];
    for (let round = -1; round < rounds; round += 1) {
      for (let place = 0; place < field.length; place += 1) {
        const one = field[(place + round + field.length) % field.length];
        const played = await play(one, sender, key, (round + 1) * perRound, perRound);
        if (round >= 0) one.played.push(played);
      }
    }
    return [field.map((one) => rowOf(one, floor, perRound))];
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

async function play(one, sender, key, offset, count) {
  const posts = bodiesOf(one.buys, offset, count).map(({ buy, bytes }) => ({
    address: `r${buy.legId}`,
    body: bytes.toString('utf8'),
  }));
  await sender.ask({ prepare: { url: one.url, kid: key.kid, pem: key.pem, posts } });
  const before = { own: cpuMsOf(one.pid), database: databaseCpuMs(one.postmaster) };
  const { ms, latencies, refusals } = await sender.ask({ go: true });
  if (refusals.length > 0) throw new Error(`${one.label}: ${refusals.length} refused, e.g. ${refusals[0]}`);
  const used = {
    own: cpuMsOf(one.pid) - before.own,
    database: databaseCpuMs(one.postmaster) - before.database,
  };
  await one.settled?.();
  const cpu = (value) => (value * 1_000) / count;
  return { perSecond: count / (ms / 1_000), latencies, own: cpu(used.own), database: cpu(used.database) };
}

function rowOf({ label, played }, floor, perRound) {
  const of = (one, read) => median(one.map(read));
  const rate = ({ perSecond }) => perSecond;
  const cost = ({ own, database }) => own + database;
  const latencies = played.flatMap((round) => round.latencies);
  return {
    scenario: `webhook in, 64 in flight, rounds of ${perRound}`,
    contender: label,
    'per second': Math.round(of(played, rate)),
    spread: spread(played.map(rate)),
    'p50 ms': Number(quantile(latencies, 0.5).toFixed(1)),
    'p99 ms': Number(quantile(latencies, 0.99).toFixed(1)),
    'of the floor': `${Math.round((100 * of(played, rate)) / of(floor.played, rate))} %`,
    'CPU µs': Math.round(of(played, ({ own }) => own)),
    'database CPU µs': Math.round(of(played, ({ database }) => database)),
    'floor, of both CPU': `${Math.round((100 * of(floor.played, cost)) / of(played, cost))} %`,
    rounds: played.length,
  };
}

/** A key, and a key set on loopback that our receivers fetch. */
async function publishedKey(closers) {
  const key = generateSigningKey('bench-ed');
  const jwk = publicJwk(key, ['adcp_use'], 'webhook-signing');
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [jwk] }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => server.close());
  const pem = key.privateKey.export({ type: 'pkcs8', format: 'pem' });
  return { kid: key.kid, jwk, pem, jwksUri: `http://127.0.0.1:${server.address().port}/jwks.json` };
}

async function ownDatabase(closers) {
  const data = mkdtempSync(join(tmpdir(), 'switchyard-bench-'));
  const opened = await openDatabase({}, data);
  if (!opened.ok) throw new Error(opened.error.message);
  closers.push(async () => {
    await opened.value.stop();
    rmSync(data, { recursive: true, force: true });
  });
  const { pid, ownerUrl } = postgresOf(data);
  const owner = new pg.Client({ connectionString: ownerUrl });
  await owner.connect();
  await owner.query(`create table bench_inbox (sender text, idempotency_key text, id uuid, headers jsonb, body bytea,
    body_hash text, received_at timestamptz, primary key (sender, idempotency_key))`);
  await owner.query('grant all on bench_inbox to public');
  await owner.end();
  return { appUrl: opened.value.appUrl, ownerUrl, postmaster: pid };
}

const worker = (script, closers) => startWorker(`./webhooks/${script}`, closers);

async function receiver(name, label, database, key, closers) {
  const { appUrl, ownerUrl, postmaster } = database;
  const buys = await buysAt(ownerUrl, key);
  const { url, pid } = await worker('receiver.mjs', closers).ask({
    make: { name, options: { appUrl, ownerUrl, jwk: key.jwk } },
  });
  return { label, url, pid, postmaster, buys, played: [] };
}

/** The built product on its own data folder. A round ends when its workers have booked everything. */
async function product(key, closers) {
  const data = mkdtempSync(join(tmpdir(), 'switchyard-bench-'));
  const server = spawn(process.execPath, [bin, 'up', '--data', data, '--no-sandbox', '--no-campaign'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const gone = once(server, 'exit');
  closers.push(async () => {
    server.kill('SIGTERM');
    await gone;
    rmSync(data, { recursive: true, force: true });
  });
  const { url } = await until(async () => {
    if (server.exitCode !== null) throw new Error('switchyard up did not start');
    const run = promisify(execFile)(process.execPath, [bin, 'token', '--data', data, '--json']);
    return run.then(({ stdout }) => JSON.parse(stdout)).catch(() => undefined);
  });
  const { pid: postmaster, ownerUrl } = postgresOf(data);
  const buys = await buysAt(ownerUrl, key);
  const owner = new pg.Client({ connectionString: ownerUrl });
  await owner.connect();
  closers.push(() => owner.end());
  const settled = () =>
    until(async () => {
      const { rows } = await owner.query("select 1 from inbox_event where state = 'received' limit 1");
      return rows.length === 0 || undefined;
    });
  return {
    label: 'switchyard up, HTTP and workers',
    url,
    pid: server.pid,
    postmaster,
    buys,
    settled,
    played: [],
  };
}

/** One buy at each seller, with the address for its reports. */
async function buysAt(ownerUrl, key) {
  const store = openStore(ownerUrl);
  try {
    const { id: organizationId } = await createOrganization(store);
    const buys = [];
    for (let index = 0; index < sellers; index += 1)
      buys.push(await createBookedBuy(store, organizationId, { packages, budgetMicros }));
    await store.pool.query(
      `update connection set dialect = 'adcp', pinned_jwks_uri = $2, form = '3.1' where organization_id = $1`,
      [organizationId, key.jwksUri],
    );
    await store.pool.query(
      `insert into webhook_registration
         (id, organization_id, connection_id, leg_id, operation_id, kind, mode, seller_operation_id, created_at)
       select 'r' || leg, $1, connection, leg, operation, 'report', 'signed', 'bench', now()
       from unnest($2::uuid[], $3::uuid[], $4::uuid[]) b(connection, leg, operation)`,
      [
        organizationId,
        buys.map((buy) => buy.connectionId),
        buys.map((buy) => buy.legId),
        buys.map((buy) => buy.operationId),
      ],
    );
    return buys;
  } finally {
    await store.close();
  }
}

async function until(look, patienceMs = 90_000) {
  const end = Date.now() + patienceMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error('it took too long');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
