/**
 * Inbox to ledger: stored webhooks are taken, parsed, decided, posted and marked by one worker, in batches, as the
 * server's hands do it. Beside it the floor: the same bodies parsed with JSON.parse, and their figures put into one
 * plain table by the same number of batched INSERTs. Both run on one PostgreSQL, rounds interleaved, fsync off for both.
 */
import { performance } from 'node:perf_hooks';
import pg from 'pg';
import { readDeliveryReport, readWebhookEnvelope } from '@switchyard/protocol';
import { inboxWork, ledgerStore, openStore } from '@switchyard/store';
import { createBookedBuy, createOrganization, startPostgres } from '@switchyard/testing';
import { parseStrictJson } from '@switchyard/values';
import { bodiesOf } from './report-bodies.mjs';
import { median } from './statistics.mjs';

const batchSize = 250;

export async function ledger({ quick }) {
  const database = await startPostgres();
  const store = openStore(database.appUrl);
  const owner = new pg.Pool({ connectionString: database.ownerUrl, max: 2 });
  try {
    await owner.query(`create table bench_floor (buy text, package text, starts timestamptz, ends timestamptz,
      sequence int, currency text, spend numeric, impressions bigint, received_at timestamptz default now(),
      primary key (buy, package, starts, ends, sequence))`);
    const tables = [];
    for (const packages of [1, 3]) tables.push(await measure({ store, owner, packages, quick }));
    return tables;
  } finally {
    await store.close();
    await owner.end();
    await database.stop();
  }
}

async function measure({ store, owner, packages, quick }) {
  const rounds = quick ? 3 : 7;
  const perRound = quick ? 1_000 : 2_500;
  const scope = { organizationId: (await createOrganization(store)).id };
  const buys = [];
  for (let index = 0; index < 100; index += 1) {
    const names = Array.from({ length: packages }, (_, at) => `package_${at}`);
    buys.push(await createBookedBuy(store, scope.organizationId, { packages: names }));
  }
  const results = { ledger: [], floor: [] };
  const cpu = { ledger: [], floor: [] };
  for (let round = -1; round < rounds; round += 1) {
    const bodies = bodiesOf(buys, (round + 1) * perRound, perRound);
    await storeInbox(owner, scope, bodies);
    const ours = await timed(() => throughLedger(store, scope));
    const floor = await timed(() => throughFloor(owner, bodies));
    if (ours.value !== perRound || floor.value !== perRound) throw new Error('Not every report was applied.');
    if (round < 0) continue;
    results.ledger.push(perRound / (ours.ms / 1_000));
    results.floor.push(perRound / (floor.ms / 1_000));
    cpu.ledger.push(ours.cpuMs / perRound);
    cpu.floor.push(floor.cpuMs / perRound);
  }
  const verdict = await ledgerStore(store).verify(scope);
  if (!verdict.ok || verdict.entries !== BigInt((rounds + 1) * perRound))
    throw new Error('The ledger is not whole.');
  const row = (contender, values, cpuMs) => ({
    scenario: `inbox to ledger, ${packages} package${packages === 1 ? '' : 's'} per report, batches of ${batchSize}`,
    contender,
    'reports/s (median)': Math.round(median(values)),
    best: Math.round(Math.max(...values)),
    'share of floor': (median(values) / median(results.floor)).toFixed(2),
    'worker CPU ms/report': median(cpuMs).toFixed(3),
    rounds,
    errors: [],
  });
  return [
    row('inbox to ledger', results.ledger, cpu.ledger),
    row('batched INSERT', results.floor, cpu.floor),
  ];
}

async function timed(work) {
  const start = performance.now();
  const cpu = process.cpuUsage();
  const value = await work();
  const { user, system } = process.cpuUsage(cpu);
  return { value, ms: performance.now() - start, cpuMs: (user + system) / 1_000 };
}

async function storeInbox(owner, { organizationId }, bodies) {
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

async function throughLedger(store, scope) {
  const book = ledgerStore(store);
  const inbox = inboxWork(store);
  const voice = { dialect: 'ads', form: '3.1' };
  let applied = 0;
  for (;;) {
    const events = await store.inTenant(scope, async (client) => {
      const taken = await inbox.take(client, batchSize);
      const now = Date.now();
      const outcomes = await book.applyIn(
        client,
        taken.map((event) => observationOf(event, voice)),
        now,
      );
      applied += outcomes.filter(({ kind }) => kind === 'applied').length;
      if (taken.length > 0)
        await inbox.mark(
          client,
          taken.map(({ id }) => ({ id, state: 'applied' })),
          now,
        );
      return taken.length;
    });
    if (events === 0) return applied;
  }
}

function observationOf(event, voice) {
  const parsed = parseStrictJson(event.body);
  const envelope = readWebhookEnvelope(parsed.value.value, parsed.value.exact, voice.form);
  const { timestamp, result } = envelope.value.envelope;
  const read = readDeliveryReport(result, envelope.value.resultExact, voice);
  return {
    connectionId: event.connectionId,
    source: 'webhook',
    stream: event.registrationId,
    report: read.value.report,
    reportedAt: Date.parse(timestamp),
    receivedAt: event.receivedAt,
    eventId: event.id,
    legId: event.legId,
  };
}

async function throughFloor(owner, bodies) {
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
