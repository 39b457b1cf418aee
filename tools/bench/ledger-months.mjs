/**
 * Finance queries over existing report rows: spend, the reconciliation of a month, its statement, and one more day of
 * reports on top. Two organizations take turns, one with a tenth of the rows of the other, to show growth; beside each
 * query plain SQL over the raw rows of the same organization. Both run without fsync.
 */
import { sign } from 'node:crypto';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import pg from 'pg';
import { generateSigningKey, publicJwk } from '@switchyard/signing';
import {
  breakRepository,
  connectionDirectory,
  figureRepository,
  invoiceRepository,
  ledgerStore,
  madeDocuments,
  openStore,
  periodRepository,
  principalDirectory,
  readFigures,
  readPacing,
  spendBy,
  toleranceRepository,
} from '@switchyard/store';
import { allPermissions } from '@switchyard/tenancy';
import { createOrganization, createPrincipal, createTestDatabase } from '@switchyard/testing';
import { ok } from '@switchyard/values';
import { asOf, floors, makeMonths, period, rowsOfBuy } from './ledger-months-rows.mjs';
import { median, quantile } from './statistics.mjs';
import { observationOf } from './verify-ledger.mjs';

const built = (path) => import(new URL(`../../apps/server/dist/${path}`, import.meta.url));
const { reconciliationRoutes } = await built('finance/reconciliation.routes.js');
const { statementRoutes } = await built('finance/statements.routes.js');
const { principalCaller } = await built('platform/caller/principal-caller.js');
const reach = { kind: 'everything' };
const batchSize = 256;

export async function ledgerMonths({ quick, rows }) {
  const database = await createTestDatabase();
  const store = openStore(database.appUrl, { answerMs: 600_000 });
  const owner = new pg.Pool({ connectionString: database.ownerUrl, max: 2 });
  try {
    const stages = [];
    for (const wanted of [rows / 10, rows])
      stages.push(await stageOf({ store, owner }, Math.ceil(wanted / rowsOfBuy)));
    return await measure(stages, owner, quick);
  } finally {
    await store.close();
    await owner.end();
    await database.stop();
  }
}

async function stageOf({ store, owner }, count) {
  const { id: organizationId } = await createOrganization(store);
  const scope = { organizationId };
  const caller = principalCaller({
    ...(await createPrincipal(store, organizationId)),
    permissions: allPermissions,
  });
  const started = performance.now();
  const buys = await makeMonths(owner, scope, count);
  console.error(
    `${count * rowsOfBuy} report rows made in ${Math.round((performance.now() - started) / 1_000)} s`,
  );
  const ledger = ledgerStore(store);
  const deps = depsOf(store, ledger);
  const call = async (routes, id, body) => {
    const answer = await routes
      .find((one) => one.id === id)
      .handle(deps, { caller, params: {}, query: {}, body });
    if (!answer.ok) throw new Error(`${id}: ${answer.error.message}`);
    return answer.value;
  };
  const { rows } = await owner.query(`select md5($1::text || 'client' || 3)::uuid as id`, [organizationId]);
  const [{ id: clientId }] = rows;
  const rowsBy = async (by, more) => (await spendBy(store, scope, { by, reach, ...more })).length;
  let booked = 0;
  // The same number in each, so that a batch has equally many of one buy.
  const some = buys.slice(0, 50);
  return {
    rows: count * rowsOfBuy,
    scope,
    questions: {
      'spend by seller and day': () => rowsBy(['seller', 'day']),
      'spend by client, brand and month': () => rowsBy(['client', 'brand', 'month']),
      'spend of one client by day': () => rowsBy(['day'], { clientId }),
      'spend by package, in March': () => rowsBy(['package'], { from: '2026-03-01', to: '2026-04-01' }),
      'spend by client and month, 30 days ago': () => rowsBy(['client', 'month'], { asOf: Date.parse(asOf) }),
      'spend by package, 30 days ago': () => rowsBy(['package'], { asOf: Date.parse(asOf) }),
      'reconcile a month': async () => {
        const { matched, breaks } = await call(reconciliationRoutes, 'reconcile', { period });
        return `${matched} agree, ${breaks.length} differ`;
      },
      'statement of a month': async () =>
        (await call(statementRoutes, 'make_statement', { period })).statement.lines.length,
    },
    /** One batch as the inbox takes it; answers the number of reports. */
    book: async () => {
      const batch = Array.from({ length: batchSize }, (_, at) =>
        observationOf(some, booked + at, Date.UTC(2026, 6, 1)),
      );
      booked += batchSize;
      const outcomes = await ledger.applyReports(scope, batch, { now: Date.UTC(2027, 0, 1) });
      if (outcomes.some(({ kind }) => kind !== 'applied'))
        throw new Error(JSON.stringify(outcomes.find(({ kind }) => kind !== 'applied')));
      return batchSize;
    },
  };
}

function depsOf(store, ledger) {
  const pair = generateSigningKey('k1');
  return {
    breaks: breakRepository(store),
    invoices: invoiceRepository(store),
    periods: periodRepository(store),
    tolerances: toleranceRepository(store),
    thirdParties: figureRepository(store),
    connections: connectionDirectory(store),
    madeDocuments: madeDocuments(store),
    pacing: (scope, wanted) => readPacing(store, scope, wanted),
    baseUrl: () => 'https://switchyard.example',
    principals: principalDirectory(store),
    ledger,
    clock: { now: () => Date.now() },
    figures: (scope, wanted) => readFigures(store, scope, wanted),
    spendBy: (scope, question) => spendBy(store, scope, question),
    domainOf: () => Promise.resolve('agency.example'),
    documentKeys: {
      signDocument: (_scope, _use, bytesFor) => {
        const bytes = bytesFor('k1', 'EdDSA');
        return Promise.resolve(
          ok({ bytes, signature: sign(null, bytes, pair.privateKey), publicJwk: publicJwk(pair, []) }),
        );
      },
    },
  };
}

async function measure(stages, owner, quick) {
  const tables = [];
  for (const name of Object.keys(floors)) {
    const often = name.startsWith('spend by seller');
    const rounds = often ? (quick ? 20 : 60) : quick ? 2 : 5;
    const times = stages.map(() => ({ ours: [], stalls: [], floor: [], found: '' }));
    for (let round = -1; round < rounds; round += 1) {
      for (const [at, { questions, scope }] of stages.entries()) {
        const ours = await timed(questions[name]);
        // The floor is measured less often, because it is slow.
        const plain =
          often && round % 5 !== 0
            ? undefined
            : await timed(() => owner.query(floors[name], [scope.organizationId]));
        if (round < 0) continue;
        times[at].ours.push(ours.ms);
        times[at].stalls.push(ours.stallMs);
        times[at].found = ours.value;
        if (plain !== undefined) times[at].floor.push(plain.ms);
      }
    }
    const [small] = times;
    tables.push(
      stages.map(({ rows }, at) => {
        const { ours, stalls, floor, found } = times[at];
        return {
          scenario: name,
          contender: `${rows} report rows`,
          'median ms': round1(median(ours)),
          'p95 ms': round1(quantile(ours, 0.95)),
          // How long the event loop was blocked.
          'longest stall ms': round1(Math.max(...stalls)),
          'plain SQL ms': round1(median(floor)),
          'of plain SQL': round1(median(ours) / median(floor), 2),
          growth: round1(median(ours) / median(small.ours), 2),
          'growth of plain SQL': round1(median(floor) / median(small.floor), 2),
          found,
          rounds,
          errors: [],
        };
      }),
    );
  }
  tables.push(await booking(stages, quick));
  return tables;
}

async function booking(stages, quick) {
  const rounds = quick ? 4 : 12;
  const times = stages.map(() => []);
  for (let round = -2; round < rounds; round += 1)
    for (const [at, { book }] of stages.entries()) {
      const { ms, value } = await timed(book);
      if (round >= 0) times[at].push(value / (ms / 1_000));
    }
  return stages.map(({ rows }, at) => ({
    scenario: `book a batch of ${batchSize} reports, ten packages each, on top`,
    contender: `${rows} report rows`,
    'reports/s (median)': Math.round(median(times[at])),
    'of the smaller': round1(median(times[at]) / median(times[0]), 2),
    rounds,
    errors: [],
  }));
}

async function timed(work) {
  const loop = monitorEventLoopDelay({ resolution: 5 });
  loop.enable();
  const start = performance.now();
  const value = await work();
  const ms = performance.now() - start;
  loop.disable();
  return { value, ms, stallMs: loop.max / 1e6 };
}

const round1 = (value, digits = 1) => Number(value.toFixed(digits));
