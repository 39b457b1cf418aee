/**
 * Does one head per organization slow down many sellers? The same number of waiting reports of one seller and of 50 is
 * applied by one worker; then by two workers that share the organization's head; then by two workers with a head each,
 * in an organization of half the sellers each: the speed of one stream per seller on this machine. The floor: the same
 * figures in one plain table by batched INSERTs. Rounds interleaved.
 */
import { performance } from 'node:perf_hooks';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { once } from 'node:events';
import pg from 'pg';
import { openStore } from '@switchyard/store';
import {
  createBookedBuy,
  createConnection,
  createOrganization,
  createTestDatabase,
} from '@switchyard/testing';
import {
  applyWaiting,
  makeFloor,
  postmasterOf,
  storeInbox,
  throughFloor,
  workerOf,
} from './ledger-workers.mjs';
import { bodiesOf } from './report-bodies.mjs';
import { median } from './statistics.mjs';
import { databaseCpuMs } from './webhooks/machine.mjs';

if (!isMainThread) {
  // A separate worker: applies the waiting events of one organization on each message.
  const store = openStore(workerData.appUrl);
  const worker = workerOf(store);
  // Two workers may take the same events: the slower one finds them done.
  worker.onUnexpected = () => undefined;
  parentPort.on('message', async (organizationId) => {
    if (organizationId === null) {
      await store.close();
      parentPort.close();
    } else {
      // If two workers take the same batch, one gives up and reads again.
      do await applyWaiting(worker, { organizationId });
      while ((await worker.inbox.waiting({ organizationId }, 1)).length > 0);
      parentPort.postMessage('done');
    }
  });
}

export async function ledgerSellers({ quick }) {
  const rounds = quick ? 3 : 7;
  const perRound = quick ? 1_024 : 4_096;
  const database = await createTestDatabase();
  const store = openStore(database.appUrl);
  const owner = new pg.Pool({ connectionString: database.ownerUrl, max: 2 });
  const threads = [1, 2].map(
    () => new Worker(new URL(import.meta.url), { workerData: { appUrl: database.appUrl } }),
  );
  try {
    const postmaster = await postmasterOf(owner);
    const shared = await organizationOf(store, 50);
    await makeFloor(owner);
    const contenders = [
      { contender: '1 seller, one writer', parts: [await organizationOf(store, 1)], writers: 1 },
      { contender: '50 sellers, one writer', parts: [shared], writers: 1 },
      { contender: '50 sellers, two writers of one head', parts: [shared], writers: 2 },
      {
        contender: '50 sellers, two writers, a head each',
        parts: [await organizationOf(store, 25), await organizationOf(store, 25)],
        writers: 2,
      },
      { contender: '50 sellers, batched INSERT', parts: [await organizationOf(store, 50)], writers: 0 },
    ].map((one) => ({ ...one, played: [] }));
    for (let round = -1; round < rounds; round += 1)
      for (const { parts, writers, played } of contenders) {
        const each = perRound / parts.length;
        let bodies;
        for (const part of parts) {
          bodies = bodiesOf(part.buys, part.sent, each);
          if (writers > 0) await storeInbox(owner, part, bodies);
          part.sent += each;
        }
        const cpu = process.cpuUsage();
        const database = databaseCpuMs(postmaster);
        const start = performance.now();
        if (writers === 0) await throughFloor(owner, bodies);
        await Promise.all(
          threads.slice(0, writers).map(async (thread, at) => {
            thread.postMessage((parts[at] ?? parts[0]).organizationId);
            await once(thread, 'message');
          }),
        );
        const ms = performance.now() - start;
        const { user, system } = process.cpuUsage(cpu);
        for (const { organizationId } of parts) {
          const { rows } = await owner.query(
            `select count(*)::int as waiting from inbox_event where organization_id = $1 and state = 'received'`,
            [organizationId],
          );
          if (rows[0].waiting > 0) throw new Error(`${rows[0].waiting} reports still wait.`);
        }
        if (round >= 0)
          played.push({
            rate: perRound / (ms / 1_000),
            own: (user + system) / perRound,
            database: ((databaseCpuMs(postmaster) - database) * 1_000) / perRound,
          });
      }
    const rateOf = ({ played }) => median(played.map(({ rate }) => rate));
    const [first, floor] = [rateOf(contenders[0]), rateOf(contenders.at(-1))];
    return [
      contenders.map(({ contender, played }) => ({
        scenario: 'sellers side by side: reports of one package each, through the inbox',
        contender,
        'reports/s (median)': Math.round(rateOf({ played })),
        'of one seller': Number((rateOf({ played }) / first).toFixed(2)),
        'of the floor': Number((rateOf({ played }) / floor).toFixed(2)),
        'CPU µs': Math.round(median(played.map(({ own }) => own))),
        'database CPU µs': Math.round(median(played.map(({ database }) => database))),
        rounds,
        errors: [],
      })),
    ];
  } finally {
    for (const thread of threads) {
      thread.postMessage(null);
      await once(thread, 'exit');
    }
    await store.close();
    await owner.end();
    await database.stop();
  }
}

/** 100 buys at so many sellers. */
async function organizationOf(store, sellers) {
  const { id: organizationId } = await createOrganization(store);
  const connections = [];
  for (let at = 0; at < sellers; at += 1) connections.push(await createConnection(store, organizationId));
  const buys = [];
  for (let at = 0; at < 100; at += 1)
    buys.push(
      await createBookedBuy(store, organizationId, {
        connection: connections[at % sellers],
        packages: ['one'],
      }),
    );
  return { organizationId, buys, sent: 0 };
}
