import { createHmac, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { dialects } from '@switchyard/protocol';
import { buyRequest, Catalogue, list, type Json } from './harness/buy-request.js';
import { dataFolder, ownerUrlOf } from './harness/data-folder.js';
import { ownerView, type OwnerView } from './harness/database.js';
import { callTask } from './harness/call-task.js';
import { startInstance, type Instance } from './harness/instance.js';
import { jsonOf, runSwitchyard } from './harness/run-switchyard.js';
import { waitUntil } from './harness/wait-until.js';
import type { RequestedBuy } from './unsigning/books.js';
import { a2aTask } from './unsigning/over-a2a.js';
import { unsigningSeller, type UnsigningSeller } from './unsigning/unsigning-seller.js';

/**
 * Sellers that sign nothing, each in the mode that its connection allows, with one whole instance: the addresses that
 * they get with the buy, what they post, its effects, and that no secret can be read anywhere afterwards.
 */
const folder = dataFolder();
let instance: Instance;
let database: OwnerView;
const sellers: Record<'hmac' | 'bearer' | 'native', UnsigningSeller> = {} as never;
type Name = keyof typeof sellers;
/** Texts that may be seen only on the wire to their owner. */
const secrets = new Set<string>();
/** The output of all commands. */
const printed: string[] = [];

beforeAll(async () => {
  instance = await startInstance(folder.path, ['--no-sandbox']);
  database = await ownerView(folder.path);
  const kinds = [
    ['hmac', 'mcp', ['--legacy-webhooks', 'hmac-sha256']],
    ['bearer', 'mcp', ['--legacy-webhooks', 'bearer']],
    ['native', 'a2a', []],
  ] as const;
  for (const [slug, protocol, more] of kinds) {
    const seller = await unsigningSeller(protocol);
    sellers[slug] = seller;
    secrets.add(seller.token);
    const args = ['--slug', slug, '--protocol', protocol, '--dialect', 'adcp', '--token-stdin', ...more];
    const added = await runSwitchyard(
      ['sellers', 'add', seller.agentUrl, ...args, '--data', folder.path],
      seller.token,
    );
    printed.push(added.stdout, added.stderr);
    if (added.code !== 0) throw new Error(`${slug} is not live: ${added.stdout}${added.stderr}`);
  }
});

afterAll(async () => {
  await database.close();
  await instance.stop();
  for (const seller of Object.values(sellers)) await seller.close();
  await folder.remove();
});

interface Bought {
  readonly name: Name;
  readonly mediaBuyId: string;
  readonly answer: Json;
  readonly requested: RequestedBuy;
}

async function buy(name: Name): Promise<Bought> {
  const catalogue = await Catalogue.read(instance);
  const { body } = await callTask('REST', instance, 'create_media_buy', {
    ...buyRequest([catalogue.packageOf(name)]),
  });
  const requested = sellers[name].requested.at(-1);
  if (requested === undefined) throw new Error(`${name} was not asked: ${JSON.stringify(body)}`);
  for (const block of [requested.push, requested.reporting, requested.native]) {
    const authentication = block['authentication'] as Json | undefined;
    for (const secret of [authentication?.['credentials'], block['token']])
      if (typeof secret === 'string') secrets.add(secret);
  }
  const [row] = await database.rows<{ id: string }>(
    `select b.media_buy_id as id from seller_buy b join leg l on l.id = b.leg_id
     where b.seller = $1 order by l.created_at desc limit 1`,
    [name],
  );
  return { name, mediaBuyId: row?.id ?? '', answer: body, requested };
}

function secretOf(block: Json): string {
  const credentials = (block['authentication'] as Json | undefined)?.['credentials'];
  return typeof credentials === 'string' ? credentials : '';
}

async function post(url: unknown, body: Buffer, lines: Readonly<Record<string, string>>): Promise<number> {
  const headers = { 'content-type': 'application/json', ...lines };
  const answer = await fetch(String(url), { method: 'POST', headers, body: body as unknown as string });
  printed.push(await answer.text());
  return answer.status;
}

const bytesOf = (body: Json): Buffer => Buffer.from(JSON.stringify(body));
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

function hmac(secret: string, body: Buffer): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const digest = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  const { legacySignatureHeader, legacyTimestampHeader } = dialects.adcp;
  return { [legacyTimestampHeader]: timestamp, [legacySignatureHeader]: `sha256=${digest}` };
}

/** Returns an event of a buy's task, and a report on the buy, in the envelope of their addresses. */
function update(name: Name, requested: RequestedBuy, status: string, key: string = randomUUID()): Buffer {
  return bytesOf({
    idempotency_key: key,
    operation_id: requested.push['operation_id'],
    task_id: requested.taskId,
    task_type: 'create_media_buy',
    protocol: 'media-buy',
    status,
    timestamp: new Date().toISOString(),
    ...(status === 'completed' ? { result: sellers[name].resultOf(requested) } : {}),
  });
}

function report(name: Name, requested: RequestedBuy, sequence: number, type?: string): Buffer {
  return bytesOf({
    idempotency_key: randomUUID(),
    task_id: `delivery_${requested.mediaBuyId}`,
    task_type: 'media_buy_delivery',
    protocol: 'media-buy',
    status: 'completed',
    timestamp: new Date().toISOString(),
    result: sellers[name].reportOf(requested, sequence, type),
  });
}

/** Runs a command and returns its JSON. Its text output is checked for secrets too. */
async function cli<T>(...args: readonly string[]): Promise<T> {
  const found = await jsonOf<T>([...args, '--data', folder.path]);
  printed.push(JSON.stringify(found));
  return found;
}

async function read(...args: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await runSwitchyard([...args, '--data', folder.path]);
  expect([args, code]).toEqual([args, 0]);
  printed.push(stdout, stderr);
}

interface Leg {
  readonly task_status: string;
  readonly observed_by?: string;
}
/** Its only leg, from `buys show`. */
async function legOf({ mediaBuyId }: Bought): Promise<Leg | undefined> {
  return (await cli<{ legs: Leg[] }>('buys', 'show', mediaBuyId)).legs[0];
}
async function settled(bought: Bought): Promise<Leg | undefined> {
  await waitUntil(`the leg of ${bought.name} has come home`, async () => {
    const rows = await database.rows(
      `select 1 from leg l join seller_buy b on b.leg_id = l.id where b.media_buy_id = $1 and l.status = 'completed'`,
      [bought.mediaBuyId],
    );
    return rows.length > 0 ? true : undefined;
  });
  return legOf(bought);
}
/** Waits until all webhooks of the seller are applied. */
async function applied(name: Name): Promise<void> {
  await waitUntil('every webhook is applied', async () => {
    const [row] = await database.rows<{ count: number }>(
      `select count(*)::int as count from inbox_event e join connection c on c.id = e.connection_id
       where c.slug = $1 and e.state = 'received'`,
      [name],
    );
    return row?.count === 0 ? true : undefined;
  });
}

async function spendOf(name: Name): Promise<readonly string[]> {
  const rows = await cli<{ seller: string; spend: string }[]>('ledger', 'spend');
  return rows.filter(({ seller }) => seller === name).map(({ spend }) => spend);
}
/** Returns the number of entries made from the seller's reports. */
async function entriesOf({ mediaBuyId }: Bought): Promise<number> {
  const [row] = await database.rows<{ count: number }>(
    `select count(*)::int as count from report_version where media_buy_id = $1`,
    [mediaBuyId],
  );
  return row?.count ?? 0;
}

interface Event {
  readonly event_id: string;
  readonly kind: string;
  readonly state: string;
  readonly reason?: string;
}
/** Returns the webhooks of a seller as the operator sees them, each also by id and with its bytes. */
async function eventsOf(name: Name): Promise<readonly string[]> {
  await applied(name);
  const events = await cli<Event[]>('events', 'list', '--seller', name);
  await read('events', 'list', '--seller', name);
  for (const { event_id: id } of events) await read('events', 'show', id, '--raw');
  for (const { event_id: id } of events.slice(0, 2)) await cli('events', 'show', id, '--raw');
  return events
    .map(({ kind, state, reason }) => [kind, state, ...(reason === undefined ? [] : [reason])].join(' '))
    .sort();
}

/** Makes waiting work due, by an update as the database's owner, so that no test sleeps. */
async function isDueNow(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrlOf(folder.path) });
  await client.connect();
  await client.query(sql);
  await client.end();
}

describe('a seller whose webhooks are proven by HMAC', () => {
  it('has its task updated and its report posted once, and gets the same answer to a copy', async () => {
    const bought = await buy('hmac');
    const { requested } = bought;
    expect(bought.answer).toMatchObject({ status: 'submitted' });
    const [task, reports] = [secretOf(requested.push), secretOf(requested.reporting)];
    expect([task.length, reports.length]).toEqual([43, 43]);
    sellers.hmac.complete(requested.taskId);
    const done = update('hmac', requested, 'completed');
    expect(await post(requested.push['url'], done, hmac('another-secret-of-at-least-32-chars', done))).toBe(
      401,
    );
    expect(await post(requested.push['url'], done, bearer(task))).toBe(401);
    expect(await post(requested.push['url'], done, hmac(task, done))).toBe(200);
    expect(await post(requested.push['url'], done, hmac(task, done))).toBe(200);
    expect(await settled(bought)).toMatchObject({ observed_by: 'webhook' });

    sellers.hmac.spend = '12.34';
    const received = report('hmac', requested, 1);
    for (let copy = 0; copy < 3; copy += 1)
      expect(await post(requested.reporting['url'], received, hmac(reports, received))).toBe(200);
    await waitUntil('the report is in the ledger', async () => (await entriesOf(bought)) || undefined);
    expect(await spendOf('hmac')).toEqual(['12.34']);
    expect(await entriesOf(bought)).toBe(1);
    expect(await eventsOf('hmac')).toEqual([
      'delivery_report applied',
      'delivery_report duplicate',
      'task_status applied',
      'task_status duplicate',
    ]);
  });
});

describe('a seller whose webhooks are proven by a Bearer credential', () => {
  it('has its report posted to the ledger once, and is refused with another credential', async () => {
    sellers.bearer.sells('at once');
    const bought = await buy('bearer');
    const { requested } = bought;
    expect(await settled(bought)).toMatchObject({ task_status: 'completed' });
    expect([requested.push['authentication'], secretOf(requested.reporting).length]).toEqual([undefined, 43]);
    sellers.bearer.spend = '45.6';
    const received = report('bearer', requested, 1);
    expect(
      await post(requested.reporting['url'], received, bearer('another-secret-of-at-least-32-chars')),
    ).toBe(401);
    expect(await post(requested.reporting['url'], received, {})).toBe(401);
    const proof = bearer(secretOf(requested.reporting));
    for (let copy = 0; copy < 3; copy += 1)
      expect(await post(requested.reporting['url'], received, proof)).toBe(200);
    await waitUntil('the report is in the ledger', async () => (await entriesOf(bought)) || undefined);
    expect(await spendOf('bearer')).toEqual(['45.6']);
    expect(await entriesOf(bought)).toBe(1);
    expect(await eventsOf('bearer')).toEqual(['delivery_report applied', 'delivery_report duplicate']);
  });

  it('changes no buy by it: its task update is refused or quarantined, and the seller is polled instead', async () => {
    sellers.bearer.sells('later');
    const bought = await buy('bearer');
    const { requested } = bought;
    const done = update('bearer', requested, 'completed');
    const proof = bearer(secretOf(requested.reporting));
    expect(await post(requested.push['url'], done, proof)).toBe(401);
    expect(await post(requested.reporting['url'], done, proof)).toBe(200);
    expect(await eventsOf('bearer')).toContain('task_status quarantined task_status_at_report_address');
    expect(await legOf(bought)).toMatchObject({ task_status: expect.stringMatching(/submitted|working/) });

    sellers.bearer.complete(requested.taskId);
    await isDueNow(`update leg set next_poll_at = now() where next_poll_at is not null`);
    expect(await settled(bought)).toMatchObject({ observed_by: 'poll' });
  });
});

describe('an A2A seller that posts its native tasks with a token and no signature', () => {
  it('is polled as soon as it posts, and the poll counts, whatever it had posted', async () => {
    const bought = await buy('native');
    const { requested } = bought;
    expect(bought.answer).toMatchObject({ status: 'submitted' });
    const { url, token } = requested.native;
    const lines = { 'x-a2a-notification-token': String(token) };
    const forged = bytesOf(
      a2aTask(requested.taskId, 'completed', { status: 'completed', media_buy_id: 'forged', packages: [] }),
    );
    expect(await post(url, forged, { 'x-a2a-notification-token': 'another' })).toBe(401);
    expect(await post(url, forged, {})).toBe(401);
    const before = sellers.native.calls['tasks/get'] ?? 0;
    expect(await post(url, forged, lines)).toBe(200);
    await waitUntil('it is asked', () => (sellers.native.calls['tasks/get'] ?? 0) > before || undefined);
    expect(await legOf(bought)).toMatchObject({ task_status: expect.stringMatching(/submitted|working/) });

    sellers.native.complete(requested.taskId);
    const done = bytesOf(a2aTask(requested.taskId, 'completed', sellers.native.resultOf(requested)));
    for (let copy = 0; copy < 2; copy += 1) expect(await post(url, done, lines)).toBe(200);
    expect(await settled(bought)).toMatchObject({ observed_by: 'poll' });
    const shown = await cli<Json>('buys', 'show', bought.mediaBuyId);
    expect(JSON.stringify(shown)).toContain(requested.mediaBuyId);
    expect(JSON.stringify(shown)).not.toContain('forged');
    expect(await eventsOf('native')).toEqual([
      'task_status applied asked_the_seller',
      'task_status applied asked_the_seller',
      'task_status duplicate',
    ]);
  });

  it('has its delivery polled, once: a report without a signature is refused', async () => {
    sellers.native.sells('at once');
    const bought = await buy('native');
    const { requested } = bought;
    await settled(bought);
    sellers.native.spend = '7.5';
    const received = report('native', requested, 1);
    const lines = { 'x-a2a-notification-token': String(requested.native['token']) };
    expect(await post(requested.reporting['url'], received, lines)).toBe(401);
    const isLookedAt = `update report_watch set due_at = now() where due_at is not null`;
    await waitUntil('the report is in the ledger', async () => {
      await isDueNow(isLookedAt);
      return (await entriesOf(bought)) || undefined;
    });
    const asks = sellers.native.calls['get_media_buy_delivery'] ?? 0;
    await isDueNow(isLookedAt);
    await waitUntil('it is asked again', () =>
      (sellers.native.calls['get_media_buy_delivery'] ?? 0) > asks ? true : undefined,
    );
    expect(await entriesOf(bought)).toBe(1);
    expect(list(await cli('ledger', 'spend')).filter(({ seller }) => seller === 'native')).toHaveLength(1);
  });
});

describe('everything that can be read afterwards', () => {
  beforeEach(() => {
    expect(secrets.size).toBeGreaterThanOrEqual(7);
  });
  const secretsIn = (text: string): readonly string[] =>
    [...secrets].filter((secret) => text.includes(secret));

  it('contains none of the secrets in answers, commands or logs', () => {
    const outputs = [...printed, instance.stdout(), instance.stderr()];
    expect(outputs.join('').length).toBeGreaterThan(20_000);
    expect(outputs.flatMap(secretsIn)).toEqual([]);
    let files = 0;
    for (const { path, text } of filesOf(folder.path)) {
      expect([path, secretsIn(text)]).toEqual([path, []]);
      files += 1;
    }
    expect(files).toBeGreaterThan(3);
  });

  it('contains none of them in any column of any table', async () => {
    for (const { place, text } of await database.texts())
      expect([place, secretsIn(text)]).toEqual([place, []]);
  });
});

/** The files of a folder that is in use: PostgreSQL deletes some of its own while they are read. */
function* filesOf(folder: string): Generator<{ readonly path: string; readonly text: string }> {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const text = entry.isFile() ? textOf(path) : undefined;
    if (text !== undefined) yield { path, text };
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
