/** What the measurements of the ledger share: a worker of the server, its inbox, and the floor beside it. */
import {
  connectionDirectory,
  impairments,
  inboxWork,
  ledgerStore,
  organizations,
  reportWatches,
} from '@switchyard/store';

const { applyInbox } = await import(
  new URL('../../apps/server/dist/webhooks/in/apply-inbox.js', import.meta.url)
);
/** Reports in one INSERT of the floor. */
export const batchSize = 256;
export const applyWaiting = async (worker, scope) => (await applyInbox(worker, scope)).done;

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
