import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '@switchyard/testing';
import { buyRequest, Catalogue, list, type Json } from './harness/buy-request.js';
import { dataFolder } from './harness/data-folder.js';
import { ownerView } from './harness/database.js';
import { callTask, type TaskResponse } from './harness/call-task.js';
import { startInstance, type Instance } from './harness/instance.js';
import { signal } from './harness/processes.js';
import { jsonOf } from './harness/run-switchyard.js';
import { waitUntil } from './harness/wait-until.js';
import { send } from './harness/http-answer.js';
import { admin } from './harness/own-everything.js';

const folder = dataFolder();
let port: string;
const market = ['--market', 'prompt,human'];
let instance: Instance;
let catalogue: Catalogue;
/** Another person of the organization, who may approve. */
let colleague: string;
/** The buyer, which the operator made, like the approver. */
let buyer: string;

beforeAll(async () => {
  port = String(await freePort());
  instance = await startInstance(folder.path, [...market, '--port', port]);
  catalogue = await Catalogue.read(instance);
  const made = await jsonOf<{ readonly token: string }>([
    ...['principals', 'add', 'approver', '--kind', 'service'],
    ...['--allow', 'media_buys:read,media_buys:approve,ledger:read,sellers:read'],
    ...['--data', folder.path, '--json'],
  ]);
  colleague = made.token;
  const trader = await jsonOf<{ readonly token: string }>([
    ...['principals', 'add', 'buyer', '--kind', 'person', '--role', 'trader', '--scope', 'organization'],
    ...['--data', folder.path, '--json'],
  ]);
  buyer = trader.token;
});

afterAll(async () => {
  await instance.stop();
  await folder.remove();
});

const run = (...args: string[]): Promise<Json> => jsonOf<Json>([...args, '--data', folder.path, '--json']);

async function post(path: string, body: Json, token = instance.token) {
  const { status, text } = await send({ url: instance.url, token }, 'POST', path, body);
  return { status, body: JSON.parse(text) as Json };
}

const decide = (verb: 'approve' | 'deny', id: unknown, token = '', reason?: string) =>
  post(`/v1/approvals/${String(id)}/${verb}`, reason === undefined ? {} : { reason }, token);

const buy = (budget: number, key: string = randomUUID()): Promise<TaskResponse> =>
  callTask(
    'REST',
    { url: instance.url, token: buyer, timeoutMs: 60_000 },
    'create_media_buy',
    buyRequest([catalogue.packageOf('prompt', { budget })], { idempotency_key: key }),
  );

const waiting = async (): Promise<readonly Json[]> => {
  const body = await admin(instance, 'GET', '/v1/approvals?state=open');
  return list(body['approvals']).filter(({ kind }) => kind === 'internal');
};

const taskOf = async (id: unknown): Promise<Json> =>
  (
    await callTask('REST', instance, 'get_task_status', {
      adcp_version: '3.1',
      task_id: id,
    })
  ).body;

const made = (response: TaskResponse): Promise<true> =>
  waitUntil('the buy is made', async () =>
    (await taskOf(response.body['task_id']))['status'] === 'completed' ? true : undefined,
  );

/* First, before anything was bought: sellers' reports of a buy change tables too. */
describe('a dry run of a buy', () => {
  const planned = (budget: number) =>
    buyRequest([catalogue.packageOf('prompt', { budget }), catalogue.packageOf('human')]);

  /** Returns the number of rows of each table. */
  async function rowsStored(): Promise<Json> {
    const view = await ownerView(folder.path);
    const tables = await view.rows<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
    );
    const counts = tables.map(({ name }) => `(select count(*)::int from "${name}") as "${name}"`);
    const [row = {}] = await view.rows<Json>(`select ${counts.join(', ')}`);
    await view.close();
    return row;
  }

  it('says which sellers would be called and why, and writes only the use of credentials', async () => {
    await run('limits', 'set', '--for', 'each-buy', '--amount', '20000', '--currency', 'USD');
    const before = await rowsStored();
    const request = planned(30_000);
    const { status, body } = await post('/v1/buys/dry-run', request);
    const after = await rowsStored();
    expect([status, body]).toMatchObject([
      200,
      {
        ...{ outcome: 'approval', currency: 'USD', total: '31000', problems: [] },
        approval_reason:
          'Over the limit of one buy, 20000 USD: 0 USD committed, 0 USD pending, 20000 USD left, 31000 USD requested.',
        sellers: [
          { seller: 'prompt', total: '30000', ok: true },
          { seller: 'human', total: '1000', ok: true },
        ],
        limits: [{ for: 'each-buy', left: '20000', requested: '31000', left_after: '0', exceeded: true }],
      },
    ]);
    expect(Object.entries(after).filter(([table, count]) => before[table] !== count)).toEqual([
      ['credential_use', expect.any(Number)],
    ]);
    expect((await buy(5000, String(request['idempotency_key']))).errors).toEqual([]);
  });

  it('is refused out of scope, and without the permission, like the buy', async () => {
    const scoped = await jsonOf<{ readonly token: string }>([
      ...['principals', 'add', 'elsewhere', '--kind', 'service', '--allow', 'media_buys:read'],
      ...['--data', folder.path, '--json'],
    ]);
    await run('grants', 'add', 'elsewhere', '--role', 'trader', '--scope', 'brand:elsewhere.example');
    for (const token of [scoped.token, colleague]) {
      const request = planned(100);
      const dry = await post('/v1/buys/dry-run', request, token);
      const made = await callTask('REST', { url: instance.url, token }, 'create_media_buy', request);
      expect([dry.status, (dry.body['errors'] as readonly Json[])[0]]).toMatchObject([
        403,
        { code: 'INSUFFICIENT_PERMISSIONS' },
      ]);
      expect(made.errors[0]?.code).toBe('PERMISSION_DENIED');
    }
  });
});

describe('a buy above the limit on each buy', () => {
  it('waits, is not approved by its own buyer or who made it, and is made when another person approves it', async () => {
    await run('limits', 'set', '--for', 'each-buy', '--amount', '20000', '--currency', 'USD');
    const response = await buy(30_000);
    expect(response.body).toMatchObject({
      status: 'submitted',
      message: expect.stringMatching(/Waiting for an internal approval/),
    });
    const [row] = await waiting();
    expect(row).toMatchObject({
      amount: '30000',
      currency: 'USD',
      sellers: ['prompt'],
      brand: expect.any(String),
      reason: expect.stringMatching(/^Over the limit of one buy, 20000 USD: /),
    });
    expect(await taskOf(response.body['task_id'])).toMatchObject({ status: 'submitted' });
    for (const token of [buyer, instance.token])
      expect((await decide('approve', row?.['approval_id'], token)).status).toBe(403);
    const approved = await decide('approve', row?.['approval_id'], colleague, 'Agreed with the client.');
    expect(approved).toMatchObject({
      status: 200,
      body: { state: 'approved', holders_of_both: ['operator'] },
    });
    await made(response);
    expect((await decide('deny', row?.['approval_id'], colleague)).status).toBe(409);
  });

  it('is rejected when another person denies it', async () => {
    const response = await buy(30_000);
    const [row] = await waiting();
    expect((await decide('deny', row?.['approval_id'], colleague, 'Too much.')).body).toMatchObject({
      state: 'denied',
    });
    expect(await taskOf(response.body['task_id'])).toMatchObject({ status: 'rejected' });
  });

  it('waits on after a kill, and goes out once', async () => {
    const response = await buy(30_000);
    signal(instance.pid, 'SIGKILL');
    await instance.kill();
    instance = await startInstance(folder.path, [...market, '--port', port]);
    const [row] = await waiting();
    await decide('approve', row?.['approval_id'], colleague);
    await instance.kill();
    instance = await startInstance(folder.path, [...market, '--port', port]);
    await made(response);
    expect(await waiting()).toEqual([]);
  });
});

const livesOfCommitments = `
  select c.created_at, c.updated_at, c.state, c.amount_micros, o.status as operation, o.idempotency_key, l.status as leg,
    l.attempts, l.observed_by, l.observed_at, s.status as buy, s.confirmed_at, s.status_as_of, k.state as part, k.since
  from spend_commitment c join operation o on o.id = c.operation_id join leg l on l.id = c.leg_id
  left join seller_buy s on s.media_buy_id = c.media_buy_id and s.seller = c.seller
  left join spend_part k on k.seller_buy_id = s.id order by c.created_at, c.id`;

describe('a limit under writers that are killed', () => {
  const buyWhenFree = (key: string): Promise<TaskResponse> =>
    waitUntil('it is not too busy', async () => {
      const tried = await buy(5000, key);
      return [429, 503].includes(tried.httpStatus) ? undefined : tried;
    });

  it('is never exceeded, and what was stored is counted to the micro', async () => {
    const [first] = list((await run('limits', 'list'))['limits']);
    await run('limits', 'remove', String(first?.['limit_id']));
    await run(
      ...[
        'limits',
        'set',
        '--for',
        'organization',
        '--amount',
        '200000',
        '--currency',
        'USD',
        '--above',
        'refuse',
      ],
    );
    const keys = Array.from({ length: 64 }, () => randomUUID());
    for (const cut of [12, 30]) {
      let begun = 0;
      const answers = keys.map(async (key) => {
        await buy(5000, key).catch(() => undefined);
        begun += 1;
      });
      await waitUntil('some are answered', () => (begun >= cut ? begun : undefined));
      await instance.kill();
      await Promise.all(answers);
      instance = await startInstance(folder.path, [...market, '--port', port]);
    }
    await Promise.all(keys.map((key) => buyWhenFree(key)));
    const view = await ownerView(folder.path);
    const settled = () =>
      waitUntil('nothing is pending', async () => {
        const [row] = await view.rows<{
          readonly pending: string;
          readonly committed: string;
          readonly made: string;
        }>(
          `select t.pending_micros as pending, t.committed_micros as committed,
             (select sum(case when k.state = 'final' then coalesce(spent.amount, 0)
                              else greatest(p.budget_micros, coalesce(spent.amount, 0)) end)
              from buy_package p join leg l on l.id = p.leg_id
              join seller_buy s on s.media_buy_id = p.media_buy_id and s.seller = p.seller
              left join spend_part k on k.seller_buy_id = s.id
              left join lateral (
                select sum(b.amount_micros) as amount from package_spend b
                where b.seller_buy_id = s.id and b.package_ref = p.seller_package_id) spent on true
              where l.status = 'completed') as made
           from spend_total t where kind = 'organization' and month = '' and currency = 'USD'`,
        );
        return row?.pending === '0' ? row : undefined;
      });
    await settled();
    // What was pending counted too, and may have failed: the rest of the limit is bought until it refuses.
    await waitUntil('the limit refuses', async () => {
      const { errors } = await buyWhenFree(randomUUID());
      await settled();
      return errors.some(({ code }) => code === 'BUDGET_EXCEEDED') ? true : undefined;
    });
    const sums = await settled();
    const isExceeded = BigInt(sums.committed) > 200_000_000_000n;
    // How each commitment came to be, if they are too many.
    const lives = isExceeded ? await view.rows(livesOfCommitments) : [];
    await view.close();
    expect(sums.committed).toBe(sums.made);
    expect({ isExceeded, lives }).toEqual({ isExceeded: false, lives: [] });
  });
});
