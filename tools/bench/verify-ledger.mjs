/**
 * `switchyard ledger verify` as the server runs it, on a separate thread: the whole ledger, then 1,000 entries beyond
 * that checkpoint. Also the longest stall of this thread's event loop meanwhile.
 */
import { randomUUID } from 'node:crypto';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { checkpointStore, ledgerStore, openStore, verifyInWorker } from '@switchyard/store';
import {
  createBookedBuy,
  createOrganization,
  createTestDatabase,
  memoryKeyManagement,
} from '@switchyard/testing';

const { createLedgerVerifier } = await import(
  new URL('../../apps/server/dist/ledger/verify-ledger.js', import.meta.url)
);
const firstDay = Date.UTC(2024, 0, 1);
const dayMs = 86_400_000;
const batchSize = 256;
const added = 1_000;
/** As in `months`: balances grow with sellers and days, not with buys. */
const sellers = 50;

export async function verifyLedger({ quick, entries = quick ? 20_000 : 200_000 }) {
  const database = await createTestDatabase();
  const store = openStore(database.appUrl);
  try {
    const scope = { organizationId: (await createOrganization(store)).id };
    const buys = [];
    for (let at = 0; at < entries / 500; at += 1) {
      const { connectionId: id, seller: slug } = buys[at % sellers] ?? {};
      const connection = at < sellers ? {} : { connection: { id, slug } };
      buys.push(
        await createBookedBuy(store, scope.organizationId, { packages: ['one', 'two'], ...connection }),
      );
    }
    await append(store, scope, buys, { from: 0, count: entries });
    const ending = new AbortController();
    const verifier = createLedgerVerifier({
      keys: memoryKeyManagement(),
      checkpoints: checkpointStore(store),
      read: ({ organizationId }, options) =>
        verifyInWorker({ appUrl: database.appUrl, organizationId, ...options }, ending.signal),
      clock: { now: () => Date.now() },
    });
    const rows = [];
    const timed = async (contender, options) => {
      const stalls = monitorEventLoopDelay({ resolution: 5 });
      stalls.enable();
      const cpu = process.cpuUsage();
      const start = performance.now();
      const verdict = await verifier.verify(scope, options);
      const ms = performance.now() - start;
      const { user, system } = process.cpuUsage(cpu);
      stalls.disable();
      if (!verdict.ok) throw new Error(JSON.stringify(verdict.problems[0]));
      rows.push({
        scenario: `verify a ledger of ${entries} entries`,
        contender,
        entries: Number(verdict.entries),
        ms: Math.round(ms),
        // Of both threads.
        'CPU ms': Math.round((user + system) / 1_000),
        'longest stall ms': Math.round(stalls.max / 1e6),
        errors: [],
      });
    };
    await timed('everything, from the first entry', { fromStart: true });
    await append(store, scope, buys, { from: entries, count: added });
    await timed(`${added} entries since the checkpoint`);
    await timed('nothing since the checkpoint');
    return [rows];
  } finally {
    await store.close();
    await database.stop();
  }
}

async function append(store, scope, buys, { from, count }) {
  const ledger = ledgerStore(store);
  const all = Array.from({ length: count }, (_, index) => observationOf(buys, from + index));
  for (let at = 0; at < all.length; at += batchSize)
    await ledger.applyReports(scope, all.slice(at, at + batchSize), { now: firstDay + 1_000 * dayMs });
  await store.pool.query('select 1');
}

export function observationOf(buys, index, from = firstDay) {
  const buy = buys[index % buys.length];
  const day = Math.floor(index / buys.length);
  const start = from + day * dayMs;
  return {
    connectionId: buy.connectionId,
    source: 'webhook',
    stream: `address of ${buy.legId}`,
    report: {
      notificationType: 'scheduled',
      sequenceNumber: day + 1,
      period: { start: new Date(start).toISOString(), end: new Date(start + dayMs).toISOString() },
      currency: 'EUR',
      partialData: false,
      deliveries: [
        {
          mediaBuyId: buy.sellerMediaBuyId,
          status: 'active',
          isAdjusted: false,
          totals: { spend: '0', original: {} },
          byPackage: buy.packages.map((packageId) => ({
            packageId,
            spend: '1.25',
            impressions: 1_000,
            original: {},
          })),
        },
      ],
    },
    reportedAt: start + dayMs,
    receivedAt: start + dayMs + 20,
    eventId: randomUUID(),
    legId: buy.legId,
  };
}
