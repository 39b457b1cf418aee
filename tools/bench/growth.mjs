/**
 * Three organizations with 1,000, 10,000 and 100,000 buys, in turns: reports applied per second, and the main reads,
 * each compared with the smallest size. The rows are made by SQL, not through the API; fsync is off.
 */
import { performance } from 'node:perf_hooks';
import pg from 'pg';
import { approvalStore, eventLog, inboxWork, openStore, operationStore, spendBy } from '@switchyard/store';
import { createBookedBuy, createOrganization, createTestDatabase } from '@switchyard/testing';
import { growTo } from './growth-rows.mjs';
import { storeInbox, workerOf } from './ledger-workers.mjs';
import { bodiesOf } from './report-bodies.mjs';
import { median } from './statistics.mjs';

const { applyInbox } = await import(
  new URL('../../apps/server/dist/webhooks/in/apply-inbox.js', import.meta.url)
);

export async function growth({ quick }) {
  const sizes = quick ? [1_000, 10_000] : [1_000, 10_000, 100_000];
  const database = await createTestDatabase();
  const store = openStore(database.appUrl);
  const owner = new pg.Pool({ connectionString: database.ownerUrl, max: 2 });
  try {
    const stages = [];
    let from = 0;
    for (const size of sizes) {
      stages.push(await stageOf({ store, owner }, from, size));
      from += size;
    }
    return [rowsOf(await measure(stages, quick))];
  } finally {
    await store.close();
    await owner.end();
    await database.stop();
  }
}

async function stageOf({ store, owner }, from, size) {
  const scope = { organizationId: (await createOrganization(store)).id };
  const buys = [];
  for (let index = 0; index < 100; index += 1)
    buys.push(await createBookedBuy(store, scope.organizationId, { packages: ['p1'] }));
  const principalId = await growTo(owner, scope, { from, to: from + size });
  await ownReports(owner, scope, buys, principalId);
  return {
    store,
    owner,
    scope,
    buys,
    size,
    worker: workerOf(store),
    sent: 0,
    shown: `grown_${from + 77}`,
    principalId,
  };
}

const ownReach = (principalId) => ({
  kind: 'limited',
  principalId,
  clientIds: [],
  brandDomains: [],
  campaignIds: [],
});

const ofJanuary = {
  by: ['seller'],
  reach: { kind: 'everything' },
  from: '2026-01-01',
  to: '2026-02-01',
};

function readsOf({ store, scope, worker, shown, principalId }) {
  const operations = operationStore(store);
  const events = eventLog(store);
  const approvals = approvalStore(store);
  return {
    delivery: () => worker.ledger.deliveredBy(scope, shown),
    'list of buys': () => operations.mediaBuys(scope, { limit: 50 }),
    "a principal's buys": () => operations.mediaBuys(scope, { principalId, limit: 50 }),
    'buys show': () => operations.mediaBuys(scope, { ids: [shown], limit: 1 }),
    'events list': () => events.list(scope, { limit: 50 }),
    "a principal's events": () => events.list(scope, { reach: ownReach(principalId), limit: 50 }),
    'event counts': () => inboxWork(store).count(scope),
    approvals: () => approvals.list(scope, { state: 'open', limit: 50 }),
    reviews: () => approvals.reviews(scope, { limit: 50 }),
    'spend of a month': () => spendBy(store, scope, ofJanuary),
  };
}

/** The organizations take turns, so that other load of the machine affects all of them. */
async function measure(stages, quick) {
  const found = stages.map(({ size }) => ({ size, figures: {} }));
  const inTurns = async (name, rounds, timed) => {
    const times = stages.map(() => []);
    for (let round = -3; round < rounds; round += 1)
      for (const [at, stage] of stages.entries()) {
        const ms = await timed(stage);
        if (round >= 0) times[at].push(ms);
      }
    for (const [at, { figures }] of found.entries()) figures[name] = median(times[at]);
  };
  await inTurns('report applied', 3, (stage) => perReport(stage, quick));
  for (const name of Object.keys(readsOf(stages[0])))
    await inTurns(name, quick ? 10 : 30, async (stage) => {
      const start = performance.now();
      await readsOf(stage)[name]();
      return performance.now() - start;
    });
  return found;
}

/** The buys with reports belong to the principal too, so that its newest events are found at once. */
async function ownReports(owner, { organizationId }, buys, principalId) {
  await owner.query(
    `insert into operation (id, organization_id, principal_id, task, task_id, request_hash, dialect, form, request, status,
       answer, created_at, updated_at)
     select id, $1, $2, 'create_media_buy', 'task_' || id, '', 'ads', 'service', '{}', 'completed', '{}', now(), now()
     from unnest($3::uuid[]) id`,
    [organizationId, principalId, buys.map((buy) => buy.operationId)],
  );
}

/** Milliseconds per report, in batches of the worker's size. */
async function perReport(stage, quick) {
  const perRound = quick ? 1_000 : 2_000;
  const bodies = bodiesOf(stage.buys, stage.sent, perRound);
  stage.sent += perRound;
  await storeInbox(stage.owner, stage.scope, bodies);
  const start = performance.now();
  const { done } = await applyInbox(stage.worker, stage.scope);
  if (done !== perRound) throw new Error(`Only ${done} of ${perRound} reports were taken.`);
  return (performance.now() - start) / perRound;
}

function rowsOf(found) {
  const [{ figures: first }] = found;
  return Object.keys(first).map((contender) => {
    const row = {
      scenario: 'buys in one organization: milliseconds, and the largest beside the smallest',
      contender,
    };
    for (const { size, figures } of found) row[`${size} buys`] = figures[contender].toFixed(3);
    row.ratio = (found.at(-1).figures[contender] / first[contender]).toFixed(2);
    if (contender === 'report applied')
      row['reports/s'] = found.map(({ figures }) => Math.round(1_000 / figures[contender])).join(', ');
    return { ...row, errors: [] };
  });
}
