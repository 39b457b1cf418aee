import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startEmbedded } from '@switchyard/store';
import { freePort, seededRandom, startReceiver } from '@switchyard/testing';
import { buyRequest, Catalogue, list, type Json } from '../harness/buy-request.js';
import { dataFolder } from '../harness/data-folder.js';
import { ownerView, type OwnerView } from '../harness/database.js';
import { callTask } from '../harness/call-task.js';
import { startInstance, type Instance } from '../harness/instance.js';
import { admin } from '../harness/own-everything.js';
import { sandboxMarket, type SandboxMarket } from '../harness/sandbox-market.js';
import { isAlive, signal } from '../harness/processes.js';
import { waitUntil } from '../harness/wait-until.js';

const seed = Number(process.env['E2E_SEED'] ?? 471_101);
const chance = seededRandom(seed);

/** One works correctly, one does its work and loses the answer, one stores no idempotency records. */
const sellers = ['prompt', 'losing', 'forgetful'] as const;
/** Duration of one request without a crash, in milliseconds: the lost answer is requested again after two seconds. */
const wholeMs = 2_600;
/** The first part of it, in which a request is received, stored, sent and mostly answered; measured. */
let earlyMs = wholeMs / 4;
const kills = { create: 4, update: 3 };
/** Maximum kills, if the random instants reached too few steps. */
const killsAtMost = 16;
const requestsPerKill = 8;

const folder = dataFolder();
const receiver = await startReceiver();
const hooks = `${receiver.url}/hooks`;
let port: string;
let sandbox: SandboxMarket;
let instance: Instance;
let database: OwnerView;
let catalogue: Catalogue;

/** All requests by key, and those whose process was killed. They outlive all servers. */
const requests = new Map<string, { readonly task: string; readonly body: Json }>();
const cutOff = new Set<string>();
const answers = new Map<string, Json>();

beforeAll(async () => {
  process.stderr.write(`E2E_SEED=${String(seed)}\n`);
  sandbox = await sandboxMarket(join(folder.path, 'market'), sellers);
  port = String(await freePort());
  // This process runs the database, so that it outlives the killed server and can be read in between.
  const started = await startEmbedded({ dataDir: join(folder.path, 'postgres') });
  if (!started.ok) throw new Error(started.error.message);
  await start();
  await sandbox.onboardAt(instance);
  catalogue = await Catalogue.read(instance, 5);
});

afterAll(async () => {
  await database.close();
  await instance.kill();
  await sandbox.stop();
  await receiver.close();
  await folder.remove();
});

async function start(): Promise<void> {
  instance = await startInstance(folder.path, ['--port', port, '--no-sandbox']);
  database = await ownerView(folder.path);
}

/** Sends the request of a key, again if the server is busy, and stores the answer if there is one. */
async function send(key: string): Promise<void> {
  const request = requests.get(key);
  if (request === undefined) throw new Error(`Nothing was written for ${key}.`);
  const { url, token } = instance;
  const answer = await waitUntil('it is not too busy', async () => {
    const tried = await callTask('REST', { url, token }, request.task, request.body).catch(
      () => 'cut off' as const,
    );
    return tried !== 'cut off' && [429, 503].includes(tried.httpStatus) ? undefined : tried;
  });
  if (answer === 'cut off') cutOff.add(key);
  else answers.set(key, answer.body);
}

function write(task: string, body: (key: string) => Json): string {
  const key = randomUUID();
  const received = { idempotency_key: key, push_notification_config: { url: hooks, operation_id: key } };
  requests.set(key, { task, body: { ...body(key), ...received } });
  return key;
}

const aBuy = (): string =>
  write('create_media_buy', (key) =>
    buyRequest(
      sellers.map((seller) => catalogue.packageOf(seller, { budget: 5_000, context: { buyer_ref: key } })),
    ),
  );

/** Sets the budget of every package of a buy to a new value. */
const aChange = (id: string, packageIds: readonly string[], budget: number): string =>
  write('update_media_buy', () => ({
    adcp_version: '3.1',
    account: { brand: { domain: 'roaster.example' }, operator: 'agency.example' },
    media_buy_id: id,
    packages: packageIds.map((package_id) => ({ package_id, budget })),
  }));

/**
 * Starts the requests one after another at random instants, so that one kill finds each at another step. Then kills
 * only the server, reads what it has stored, and starts a new one.
 */
async function killUnder(keys: readonly string[]): Promise<string> {
  const begins = keys.map((_, at) => wholeMs - ageAtKill(at / keys.length, (at + 1) / keys.length));
  const sent = keys.map(async (key, at) => {
    await new Promise((resolve) => setTimeout(resolve, begins[at]));
    await send(key);
  });
  await new Promise((resolve) => setTimeout(resolve, wholeMs));
  signal(instance.pid, 'SIGKILL');
  await waitUntil('it is dead', () => (isAlive(instance.pid) ? undefined : true));
  await Promise.all(sent);
  const found = await stepsOf(keys);
  await instance.kill();
  await database.close();
  await start();
  return found;
}

/**
 * Age of a request when its process is killed, random within its own part of the whole. Half of the parts are in the
 * first part of a request, where it is received, stored and sent; the others while a lost answer is waited for.
 */
function ageAtKill(from: number, to: number): number {
  const part = chance.between(Math.round(1_000 * from), Math.round(1_000 * to)) / 1_000;
  return part < 0.5 ? 2 * part * earlyMs : earlyMs + (2 * part - 1) * (wholeMs - earlyMs);
}

/** Measures the duration of the first part of a request on this machine, plus a reserve. */
async function measureFirstMoments(): Promise<void> {
  const key = aBuy();
  const from = Date.now();
  const sent = send(key);
  await waitUntil('those that answer have answered', async () =>
    /^completed\+.*\+completed$/.test(await stepsOf([key])) ? true : undefined,
  );
  earlyMs = Math.min(1.25 * (Date.now() - from), wholeMs / 2);
  await sent;
}

/** The step of each request: the states of its legs, in the order of the sellers. */
async function stepsOf(keys: readonly string[]): Promise<string> {
  const rows = await database.rows<{ key: string; steps: string }>(
    `select o.request->>'idempotency_key' as key,
            string_agg(l.status || case when l.status = 'sent' then l.attempts::text else '' end, '+' order by l.seller desc) as steps
     from operation o join leg l on l.operation_id = o.id where o.request->>'idempotency_key' = any($1) group by 1`,
    [keys],
  );
  const steps = new Map(rows.map((row) => [row.key, row.steps]));
  return keys.map((key) => steps.get(key) ?? 'nothing stored').join(', ');
}

interface LegRow {
  readonly key: string;
  readonly seller: string;
  readonly id: string;
  readonly status: string;
  readonly their_id: string | null;
  readonly revision: number | null;
  readonly media_buy_id: string;
}

const legsOf = (task: string): Promise<LegRow[]> =>
  database.rows<LegRow>(
    `select o.request->>'idempotency_key' as key, l.seller, l.id, l.status,
            b.seller_media_buy_id as their_id, b.revision, b.media_buy_id
     from leg l join operation o on o.id = l.operation_id
     join seller_buy b on b.leg_id = l.id or b.id = l.seller_buy_id
     where o.task = $1`,
    [task],
  );

/** Waits until every leg has ended or waits for a person. A buy missing in a list is searched for one minute. */
const allEnded = (): Promise<true> =>
  waitUntil('every leg has ended or waits for a person', async () => {
    const [row] = await database.rows<{ open: number }>(
      `select count(*)::int as open from leg where status not in ('completed', 'failed', 'rejected', 'canceled', 'parked')`,
    );
    return row?.open === 0 ? true : undefined;
  });

/** Decides parked legs as a person does, by the sellers' data. */
async function settleParked(legs: readonly LegRow[], wasMade: (leg: LegRow) => string | undefined) {
  for (const leg of legs.filter(({ status }) => status === 'parked')) {
    const shown = await admin(instance, 'GET', `/v1/buys/${leg.media_buy_id}`);
    expect(shown['legs']).toContainEqual(
      expect.objectContaining({ leg_id: leg.id, seller: leg.seller, waits_for_person: true }),
    );
    const id = wasMade(leg);
    const outcome = id === undefined ? { outcome: 'not-made' } : { outcome: 'made', seller_buy: id };
    await admin(instance, 'POST', `/v1/legs/${leg.id}/settle`, { ...outcome, reason: 'I asked them' });
  }
}

/** The buyer's view: every request has an answer and a final status, by polling and by webhook. */
async function buyerLearns(task: string): Promise<void> {
  const keys = [...requests].filter(([, request]) => request.task === task).map(([key]) => key);
  const rows = await database.rows<{ key: string; task_id: string; status: string }>(
    `select request->>'idempotency_key' as key, task_id, status from operation where task = $1`,
    [task],
  );
  expect(rows.map(({ key }) => key).sort()).toEqual([...keys].sort());
  for (const { task_id: id, status, key } of rows) {
    const { body } = await callTask('REST', instance, 'get_task_status', {
      adcp_version: '3.1',
      task_id: id,
      include_result: true,
    });
    expect([key, body['status']]).toEqual([key, status]);
    expect(['completed', 'failed']).toContain(status);
  }
  const status = new Map(rows.map((row) => [row.key, row.status]));
  const stored = keys.filter((key) => cutOff.has(key) && !freshlySent.has(key));
  await waitUntil('the end of every request that was cut off has come by webhook', () =>
    stored.every((key) => ends(key).length > 0) ? true : undefined,
  );
  for (const key of stored) expect([key, ...ends(key)]).toEqual([key, status.get(key)]);
}

/** The final statuses that webhooks reported for a request, each event once. */
function ends(key: string): readonly unknown[] {
  const received = new Map(
    receiver.received
      .filter(({ body }) => body['operation_id'] === key)
      .map(({ body }) => [body['idempotency_key'], body['status']]),
  );
  return [...received.values()].filter((status) => status === 'completed' || status === 'failed');
}

/** Keys without stored rows when their process was killed: the repeated request was the first one. */
const freshlySent = new Set<string>();

async function repeat(task: string): Promise<void> {
  const known = new Set(
    (await database.rows<{ key: string }>(`select request->>'idempotency_key' as key from operation`)).map(
      ({ key }) => key,
    ),
  );
  const again = [...requests].filter(([key, request]) => request.task === task && cutOff.has(key));
  for (const [key] of again) if (!known.has(key)) freshlySent.add(key);
  await Promise.all(again.map(([key]) => send(key)));
  expect(again.filter(([key]) => !answers.has(key))).toEqual([]);
}

function notify(of: string, found: string): void {
  process.stderr.write(`seed ${String(seed)}: ${of}, killed at: ${found}\n`);
}

describe(`SIGKILL in the middle of a request to three sellers (E2E_SEED=${String(seed)})`, () => {
  it('create_media_buy: no seller is bought from twice, none is lost, and the buyer learns the outcome', async () => {
    await measureFirstMoments();
    const found = new Set<string>();
    for (let kill = 0; kill < kills.create || (found.size < 3 && kill < killsAtMost); kill += 1) {
      const steps = await killUnder(Array.from({ length: requestsPerKill }, aBuy));
      notify('create', steps);
      for (const step of steps.split(', ')) found.add(step);
    }
    expect(cutOff.size).toBeGreaterThan(kills.create);
    expect(found.size).toBeGreaterThan(2);
    await repeat('create_media_buy');
    await allEnded();

    const made = await sandbox.market.booked();
    await settleParked(
      await legsOf('create_media_buy'),
      ({ seller, key }) => made.get(`${seller} ${key}`)?.[0],
    );
    const legs = await legsOf('create_media_buy');
    expect(legs).toHaveLength(3 * requests.size);
    for (const { seller, key, status, their_id: theirs } of legs) {
      const ids = made.get(`${seller} ${key}`) ?? [];
      expect([seller, key, status, ...ids]).toEqual(
        status === 'completed' ? [seller, key, status, theirs] : [seller, key, 'failed'],
      );
    }
    const known = new Set(legs.map(({ seller, key }) => `${seller} ${key}`));
    expect([...made.keys()].filter((place) => !known.has(place))).toEqual([]);
    await buyerLearns('create_media_buy');
  });

  it('update_media_buy: no seller is updated twice, none is lost, and the buyer learns the outcome', async () => {
    const whole = await wholeBuys();
    expect(whole.length).toBeGreaterThanOrEqual(kills.update * 4);
    cutOff.clear();
    const budgets = new Map<string, { readonly budget: number; readonly id: string }>();
    const perKill = Math.min(requestsPerKill, Math.floor(whole.length / kills.update));
    for (let kill = 0; kill < kills.update; kill += 1) {
      const keys = whole.slice(kill * perKill, (kill + 1) * perKill).map(({ id, packageIds }, at) => {
        const budget = 6_000 + 100 * kill + at;
        const key = aChange(id, packageIds, budget);
        budgets.set(key, { budget, id });
        return key;
      });
      notify('update', await killUnder(keys));
    }
    expect(cutOff.size).toBeGreaterThan(0);
    await repeat('update_media_buy');
    await allEnded();

    const budgetAt = await bookedBudgets();
    const wanted = (leg: LegRow): string => String((budgets.get(leg.key)?.budget ?? 0) * 1e6);
    const isDone = (leg: LegRow): boolean =>
      budgetAt.get(`${leg.seller} ${leg.their_id ?? ''}`) === wanted(leg);
    await settleParked(await legsOf('update_media_buy'), (leg) =>
      isDone(leg) ? (leg.their_id ?? undefined) : undefined,
    );
    const legs = await legsOf('update_media_buy');
    expect(legs).toHaveLength(3 * budgets.size);
    for (const leg of legs) {
      expect([leg.seller, leg.key, leg.status]).toEqual([
        leg.seller,
        leg.key,
        isDone(leg) ? 'completed' : 'failed',
      ]);
      // At the seller that counts revisions, an update that ran twice would have counted twice.
      if (leg.status === 'completed' && leg.revision !== null)
        expect([leg.key, leg.revision]).toEqual([leg.key, 2]);
    }
    expect(await noticesTo('forgetful')).toEqual(1);
    await buyerLearns('update_media_buy');
  });
});

/** Buys that exist at all three sellers, with our package ids. */
async function wholeBuys(): Promise<
  readonly { readonly id: string; readonly packageIds: readonly string[] }[]
> {
  const { body } = await callTask('REST', instance, 'get_media_buys', {
    adcp_version: '3.1',
    account: { brand: { domain: 'roaster.example' }, operator: 'agency.example' },
    status_filter: ['active', 'pending_start', 'pending_creatives'],
    pagination: { max_results: 100 },
  });
  return list(body['media_buys'])
    .map((buy) => ({
      id: String(buy['media_buy_id']),
      packageIds: list(buy['packages']).flatMap(({ package_id: id }) => (typeof id === 'string' ? [id] : [])),
    }))
    .filter(({ packageIds }) => packageIds.length === sellers.length);
}

async function bookedBudgets(): Promise<ReadonlyMap<string, string>> {
  const books = await sandbox.market.books();
  return new Map(
    books.flatMap(({ slug, buys }) =>
      buys.map((buy) => [`${slug} ${buy.media_buy_id}`, buy.packages[0]?.budget_micros ?? ''] as const),
    ),
  );
}

/** Maximum number of update calls that the seller got for one buy. */
async function noticesTo(slug: string): Promise<number> {
  const calls = (await sandbox.market.calls()).find((each) => each.slug === slug);
  const counted = new Map<unknown, number>();
  for (const { tool, args } of calls?.recent ?? []) {
    if (tool === 'update_media_buy')
      counted.set(args['media_buy_id'], (counted.get(args['media_buy_id']) ?? 0) + 1);
  }
  return Math.max(...counted.values());
}
