/**
 * One organization with 1,000, 10,000 and 100,000 buys: reports applied per second, and the main reads, each beside
 * itself at the smallest size. The rows are made by SQL, not through the doors; fsync is off.
 */
import { performance } from 'node:perf_hooks';
import pg from 'pg';
import { approvalStore, eventLog, inboxWork, openStore, operationStore } from '@switchyard/store';
import { createBookedBuy, createOrganization, createTestDatabase } from '@switchyard/testing';
import { growTo } from './growth-rows.mjs';
import { storeInbox, workerOf } from './ledger.mjs';
import { bodiesOf } from './report-bodies.mjs';
import { median } from './statistics.mjs';

const { applyInbox } = await import(new URL('../../apps/server/dist/hands/apply-inbox.js', import.meta.url));

export async function growth({ quick }) {
  const sizes = quick ? [1_000, 10_000] : [1_000, 10_000, 100_000];
  const database = await createTestDatabase();
  const store = openStore(database.appUrl);
  const owner = new pg.Pool({ connectionString: database.ownerUrl, max: 2 });
  try {
    const scope = { organizationId: (await createOrganization(store)).id };
    const buys = [];
    for (let index = 0; index < 100; index += 1)
      buys.push(await createBookedBuy(store, scope.organizationId, { packages: ['p1'] }));
    const stage = { store, owner, scope, buys, worker: workerOf(store), told: 0 };
    const found = [];
    let before = 0;
    for (const size of sizes) {
      const principalId = await growTo(owner, scope, { from: before, to: size });
      if (before === 0) await ownReports(owner, scope, buys, principalId);
      before = size;
      found.push({ size, figures: await measure(stage, principalId, quick) });
    }
    return [rowsOf(found)];
  } finally {
    await store.close();
    await owner.end();
    await database.stop();
  }
}

async function measure(stage, principalId, quick) {
  const { store, scope, buys } = stage;
  const [operations, events, inbox, approvals] = [operationStore, eventLog, inboxWork, approvalStore].map(
    (make) => make(store),
  );
  const reads = {
    delivery: () => stage.worker.ledger.deliveredBy(scope, 'grown_77'),
    'list of buys': () => operations.mediaBuys(scope, { limit: 50 }),
    "a principal's buys": () => operations.mediaBuys(scope, { principalId, limit: 50 }),
    'buys show': () => operations.mediaBuys(scope, { ids: ['grown_77'], limit: 1 }),
    'events list': () => events.list(scope, { limit: 50 }),
    "a principal's events": () => events.list(scope, { principalId, limit: 50 }),
    'event counts': () => inbox.count(scope),
    approvals: () => approvals.list(scope, { state: 'open', limit: 50 }),
    reviews: () => approvals.reviews(scope, { limit: 50 }),
    'spend of a month': () =>
      stage.worker.ledger.spendBySeller(scope, { from: '2026-01-01', to: '2026-02-01' }),
  };
  const figures = { 'report applied': await perReport(stage, buys, quick) };
  for (const [name, read] of Object.entries(reads)) {
    const times = [];
    for (let round = -3; round < (quick ? 10 : 30); round += 1) {
      const start = performance.now();
      await read();
      if (round >= 0) times.push(performance.now() - start);
    }
    figures[name] = median(times);
  }
  return figures;
}

/** The buys that reports come for are the principal's too, so that its newest events are found at once. */
async function ownReports(owner, { organizationId }, buys, principalId) {
  await owner.query(
    `insert into operation (id, organization_id, principal_id, task, task_id, request_hash, dialect, form, request, status,
       answer, created_at, updated_at)
     select id, $1, $2, 'create_media_buy', 'task_' || id, '', 'ads', 'service', '{}', 'completed', '{}', now(), now()
     from unnest($3::uuid[]) id`,
    [organizationId, principalId, buys.map((buy) => buy.operationId)],
  );
}

/** Milliseconds that one report takes, of batches as the worker takes them. */
async function perReport(stage, buys, quick) {
  const perRound = quick ? 1_000 : 2_000;
  const times = [];
  for (let round = -1; round < 3; round += 1) {
    const bodies = bodiesOf(buys, stage.told, perRound);
    stage.told += perRound;
    await storeInbox(stage.owner, stage.scope, bodies);
    const start = performance.now();
    const { done } = await applyInbox(stage.worker, stage.scope);
    if (done !== perRound) throw new Error(`Only ${done} of ${perRound} reports were taken.`);
    if (round >= 0) times.push((performance.now() - start) / perRound);
  }
  return median(times);
}

function rowsOf(found) {
  const [{ figures: first }] = found;
  return Object.keys(first).map((contender) => {
    const row = {
      scenario: 'one organization grows: milliseconds, and the last beside the first',
      contender,
    };
    for (const { size, figures } of found) row[`${size} buys`] = figures[contender].toFixed(3);
    row.ratio = (found.at(-1).figures[contender] / first[contender]).toFixed(2);
    if (contender === 'report applied')
      row['reports/s'] = found.map(({ figures }) => Math.round(1_000 / figures[contender])).join(', ');
    return { ...row, errors: [] };
  });
}
