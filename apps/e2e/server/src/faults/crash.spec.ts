import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort, seededRandom } from '@switchyard/testing';
import { buyRequest, Catalogue, type Json } from '../harness/buy-request.js';
import { dataFolder, postmasterOf } from '../harness/data-folder.js';
import { ownerView, type OwnerView } from '../harness/database.js';
import { callTask } from '../harness/call-task.js';
import { startInstance, type Instance } from '../harness/instance.js';
import { Market } from '../harness/market.js';
import { childrenOf, isAlive, marketOf, signal } from '../harness/processes.js';
import { jsonOf } from '../harness/run-switchyard.js';
import { postSigned, taskAddressOf, taskUpdate, type TaskAddress } from '../harness/signed-webhook.js';
import { waitForRest, type Left } from '../harness/wait-for-rest.js';
import { waitUntil } from '../harness/wait-until.js';

const seed = Number(process.env['E2E_SEED'] ?? 471_101);
const chance = seededRandom(seed);

const folder = dataFolder();
/** The same port for all starts: it is in the webhook URLs that sellers have. */
let port: string;
let instance: Instance;
let database: OwnerView;
let catalogue: Catalogue;

/** What the server acknowledged, so that this process may rely on it. */
const received = {
  /** All requests, by idempotency key. */
  requests: new Map<string, Json>(),
  /** Keys of answered requests, with the id in the answer. */
  buys: new Map<string, { readonly mediaBuyId?: string; readonly taskId?: string }>(),
  /** Errors in answers. All requests are valid, so there must be none. */
  refusals: [] as string[],
  /** Keys of webhooks that were answered 200. */
  webhooks: new Set<string>(),
};

beforeAll(async () => {
  port = String(await freePort());
  instance = await startInstance(folder.path, ['--port', port]);
  database = await ownerView(folder.path);
  catalogue = await Catalogue.read(instance, 2);
  // One buy whose seller has a person review it: this test sends signed webhooks to its task address.
  await buyOnce(['human']);
  expect(received.refusals).toEqual([]);
});

afterAll(async () => {
  await database.close();
  await instance.kill();
  await folder.remove();
});

/** Timeout of a buyer's request, longer than the slowest machine needs. */
const timeoutMs = 60_000;

/** Sends one buy to some sellers. Returns whether it was acknowledged; other outcomes are not recorded. */
async function buyOnce(sellers: readonly string[], key: string = randomUUID()): Promise<boolean> {
  const request =
    received.requests.get(key) ??
    buyRequest(
      sellers.map((seller) => catalogue.packageOf(seller, { budget: 5000, context: { buyer_ref: key } })),
      { idempotency_key: key },
    );
  received.requests.set(key, request);
  const { url, token } = instance;
  const answer = await callTask('REST', { url, token, timeoutMs }, 'create_media_buy', request).catch(
    () => undefined,
  );
  if (answer !== undefined && answer.errors.length > 0) received.refusals.push(answer.text);
  const { media_buy_id: mediaBuyId, task_id: taskId } = answer?.body ?? {};
  if (typeof mediaBuyId === 'string') received.buys.set(key, { mediaBuyId });
  else if (typeof taskId === 'string') received.buys.set(key, { taskId });
  return received.buys.has(key);
}

/** Sends one webhook, signed with the seller's own key. It changes nothing, but must be stored. */
async function notifyOnce(address: TaskAddress): Promise<boolean> {
  const key = randomUUID();
  const acknowledged = (await postSigned(instance, address, taskUpdate(address, key))) === 200;
  if (acknowledged) received.webhooks.add(key);
  return acknowledged;
}

/** Writes concurrently until it is stopped or gets no answer. */
function writers(address: TaskAddress): { stop(): Promise<void> } {
  const state = { stopped: false };
  const forever = async (work: () => Promise<boolean>): Promise<void> => {
    while (!state.stopped && (await work())) void 0;
  };
  const under = [
    forever(() => buyOnce(['prompt', 'courier'])),
    forever(() => buyOnce(['courier', 'behind'])),
    forever(() => notifyOnce(address)),
    forever(() => notifyOnce(address)),
  ];
  return {
    stop: async () => {
      state.stopped = true;
      await Promise.all(under);
    },
  };
}

const market = (): number => marketOf(instance.pid) ?? -1;
const postmaster = (): number => postmasterOf(folder.path)?.pid ?? -1;

/** Processes to kill at once. Our others are killed a moment later, except a database in its own group. */
const victims: Readonly<Record<string, () => readonly number[]>> = {
  'the server': () => [instance.pid],
  'everything at once': () => [instance.pid, market(), postmaster(), ...childrenOf(postmaster())],
  'the postmaster': () => [postmaster()],
  'the market': () => [market()],
  'the server and the postmaster': () => [instance.pid, postmaster()],
  'everything, again': () => [instance.pid, market(), postmaster(), ...childrenOf(postmaster())],
};

describe(`SIGKILL in the middle of writes (E2E_SEED=${String(seed)})`, () => {
  it.each(Object.keys(victims))(
    'to %s: the server starts again by itself, with every acknowledged write',
    async (who) => {
      const address = await taskAddressOf(database, 'human');
      const before = received.buys.size;
      const writing = writers(address);
      const afterMs = chance.between(0, 250);
      try {
        // Never before something was acknowledged, and then at a random instant.
        await waitUntil('something was acknowledged', () => (received.buys.size > before ? true : undefined));
        await new Promise((resolve) => setTimeout(resolve, afterMs));
        await killAll(who);
      } finally {
        await writing.stop();
      }
      await instance.kill();
      await database.close();

      instance = await startInstance(folder.path, ['--port', port]);
      database = await ownerView(folder.path);
      process.stderr.write(
        `seed ${String(seed)}: killed ${who} after ${String(afterMs)} ms; ${String(received.buys.size)} buys and ${String(received.webhooks.size)} webhooks acknowledged\n`,
      );
      await everythingAcknowledgedIsThere();
    },
  );

  it('answers every request in the end, and buys once per key at every seller that reports a buy', async () => {
    await waitUntil('a buyer that got no answer gets one by asking again with the same key', async () => {
      const open = [...received.requests.keys()].filter((key) => !received.buys.has(key));
      for (const key of open) await buyOnce([], key);
      return open.length === 0 ? true : undefined;
    });
    await waitForRest('every operation is settled and every last report is booked', leftToDo);
    const legs = await database.rows<{ seller: string; key: string; status: string }>(
      `select l.seller, o.request->>'idempotency_key' as key, l.status
       from leg l join operation o on o.id = l.operation_id`,
    );
    // A leg fails only if its seller was down; then nothing was bought there.
    expect(legs.filter(({ status }) => status !== 'completed' && status !== 'failed')).toEqual([]);
    const made = legs
      .filter(({ status }) => status === 'completed')
      .map(({ seller, key }) => `${seller} ${key}`);
    expect(new Set(made).size).toBe(made.length);
    expect(made.length).toBeGreaterThan(received.buys.size);
    const bought = (await Market.of(folder.path).books()).flatMap(({ slug, buys }) =>
      buys.flatMap((buy) => buy.packages.map((part) => `${slug} ${part.context?.buyer_ref ?? ''}`)),
    );
    expect(bought.sort()).toEqual(made.sort());
  }, 900_000);

  it('leaves a ledger that verifies and equals the sellers’ books', async () => {
    expect(await jsonOf(['ledger', 'verify', '--data', folder.path])).toMatchObject({ ok: true });
    const sums = await database.rows<{ sum: string }>(
      'select sum(amount_micros)::text as sum from ledger_posting group by currency',
    );
    expect(sums).toEqual([{ sum: '0' }]);
    const theirs = (await Market.of(folder.path).books())
      .map(({ slug, buys }) => [
        slug,
        buys.reduce((sum, buy) => sum + BigInt(buy.spend_micros), 0n).toString(),
      ])
      .filter(([, micros]) => micros !== '0');
    const ours = await database.rows<{ seller: string; micros: string }>(
      `select seller, sum(spend_micros)::text as micros from report_version where is_current group by seller order by seller`,
    );
    expect(ours.map(({ seller, micros }) => [seller, micros])).toEqual(theirs.sort());
    const spend = await jsonOf<{ seller: string; spend: string }[]>([
      'ledger',
      'spend',
      '--data',
      folder.path,
    ]);
    expect(
      spend.map(({ seller, spend: text }) => [seller, String(Math.round(Number(text) * 1e6))]).sort(),
    ).toEqual(theirs.sort());
  });
});

async function killAll(who: string): Promise<void> {
  const pids = victims[who]?.() ?? [];
  expect(pids).not.toContain(-1);
  for (const pid of pids) signal(pid, 'SIGKILL');
  await waitUntil('they are dead', () => (pids.some(isAlive) ? undefined : true));
  if (!pids.includes(instance.pid)) await stillAnswers(who);
}

/** The server outlives its market and its database, and accepts nothing that it cannot store. */
async function stillAnswers(who: string): Promise<void> {
  const health = await fetch(`${instance.url}/healthz`).catch(() => undefined);
  if (health === undefined) throw new Error(`The server died of it: ${instance.stderr()}`);
  expect(health.status).toBe(200);
  const ready = async () => (await fetch(`${instance.url}/readyz`)).status;
  if (who !== 'the postmaster') return expect(await ready()).toBe(200);
  // The connections of a killed postmaster last until their processes notice.
  await waitUntil('it is not ready', async () => ((await ready()) === 503 ? true : undefined));
}

async function everythingAcknowledgedIsThere(): Promise<void> {
  const operations = await database.rows<{ key: string; task_id: string; media_buy_id: string }>(
    `select o.request->>'idempotency_key' as key, o.task_id, b.id as media_buy_id from operation o join media_buy b on b.operation_id = o.id`,
  );
  const stored = new Map(operations.map((row) => [row.key, row]));
  for (const [key, { mediaBuyId, taskId }] of received.buys) {
    const row = stored.get(key);
    expect([key, mediaBuyId ?? row?.media_buy_id, taskId ?? row?.task_id]).toEqual([
      key,
      row?.media_buy_id,
      row?.task_id,
    ]);
    expect(row).toBeDefined();
  }
  const claims = await database.rows<{ idempotency_key: string }>(
    'select c.idempotency_key from webhook_claim c join inbox_event e on e.id = c.event_id',
  );
  const claimed = new Set(claims.map((row) => row.idempotency_key));
  expect([...received.webhooks].filter((key) => !claimed.has(key))).toEqual([]);
}

async function leftToDo(): Promise<Left> {
  const [row] = await database.rows<{ operations: number; events: number; buys: number }>(
    `select (select count(*) from operation where settled_at is null)::int as operations,
            (select count(*) from inbox_event where state = 'received')::int as events,
            (select count(*) from seller_buy where seller_media_buy_id is not null and reporting_ended_at is null)::int
              as buys`,
  );
  const books = await Market.of(folder.path).books();
  return {
    'operations that are not settled': row?.operations ?? 0,
    'events in the inbox': row?.events ?? 0,
    'buys whose last report is not booked': row?.buys ?? 0,
    'buys whose seller has more to say': books.flatMap(({ buys }) => buys).filter((buy) => !buy.settled)
      .length,
  };
}
