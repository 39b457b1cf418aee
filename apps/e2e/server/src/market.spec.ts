import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '@switchyard/testing';
import { buyRequest, Catalogue, list, type Json } from './harness/buy-request.js';
import { dataFolder } from './harness/data-folder.js';
import { callTask, type TaskResponse } from './harness/call-task.js';
import { startInstance, type Instance } from './harness/instance.js';
import { Market } from './harness/market.js';
import { plainSeller, type PlainSeller } from './harness/plain-seller.js';
import { marketOf, signal } from './harness/processes.js';
import { runSwitchyard } from './harness/run-switchyard.js';
import { waitUntil } from './harness/wait-until.js';

const folder = dataFolder();
const scratch = mkdtempSync(join(tmpdir(), 'switchyard-e2e-files-'));
let instance: Instance;
let market: Market;
let guest: PlainSeller;
/** The seller that misbehaves, and is therefore queried less often. */
let liar: PlainSeller;
let catalogue: Catalogue;

const healthy = ['auction', 'behind', 'courier', 'human', 'prompt', 'seed'];

beforeAll(async () => {
  instance = await startInstance(folder.path);
  market = Market.of(folder.path);
  guest = await plainSeller(() => ({ json: products('plain_1') }));
  liar = await plainSeller(() => ({ json: products('plain_1') }));
  const added = await Promise.all([add('guest', guest.agentUrl), add('liar', liar.agentUrl)]);
  expect(added).toMatchObject([{ code: 0 }, { code: 0 }]);
  catalogue = await Catalogue.read(instance, 3);
});

afterAll(async () => {
  await instance.stop();
  await guest.close();
  await liar.close();
  await folder.remove();
  rmSync(scratch, { recursive: true, force: true });
});

const add = (slug: string, url: string) =>
  runSwitchyard([
    'sellers',
    'add',
    url,
    '--slug',
    slug,
    '--protocol',
    'mcp',
    '--dialect',
    'adcp',
    '--data',
    folder.path,
    '--json',
  ]);

/** Returns an answer to get_products with products of these ids, as JSON text. */
function products(...ids: readonly string[]): string {
  const shown = ids.map((id) => ({
    product_id: id,
    name: `Product ${id}`,
    description: 'A product of the test.',
    publisher_properties: [{ publisher_domain: 'plain.example', selection_type: 'all' }],
    format_ids: [{ agent_url: 'https://creative.example/', id: 'display_300x250' }],
    delivery_type: 'non_guaranteed',
    pricing_options: [{ pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'USD', fixed_price: 5 }],
    delivery_measurement: { provider: 'plain' },
    reporting_capabilities: { available_metrics: ['impressions', 'spend'] },
  }));
  return JSON.stringify({ adcp_version: '3.1', status: 'completed', products: shown });
}

const question = {
  adcp_version: '3.1',
  buying_mode: 'brief',
  brief: 'everything there is',
  brand: { domain: 'roaster.example' },
};

/** A seller that never answers takes this time; the others may need it on a busy machine. */
async function query(seconds = 30): Promise<TaskResponse & { readonly rows: ReadonlyMap<string, Json> }> {
  const answer = await callTask('REST', instance, 'get_products', {
    ...question,
    time_budget: { interval: seconds, unit: 'seconds' },
  });
  const rows = list(answer.body['sellers']);
  return { ...answer, rows: new Map(rows.map((row) => [String(row['seller']), row])) };
}

/** Expects that every healthy seller answered in time, with items. */
function expectTheRestUnharmed(rows: ReadonlyMap<string, Json>): void {
  for (const seller of healthy) {
    expect([seller, rows.get(seller)?.['status']]).toEqual([seller, 'answered']);
    expect(rows.get(seller)?.['items']).toBeGreaterThan(0);
  }
}

describe('one query to the market', () => {
  it('has one row for each queried seller, and every item names its seller in its id and beside it', async () => {
    const { rows, body } = await query();
    const sellers = (await market.agents())
      .filter(({ kinds }) => kinds.includes('sales'))
      .map(({ slug }) => slug);
    expect([...rows.keys()].sort()).toEqual([...sellers, 'guest', 'liar'].sort());
    expect(list(body['sellers'])).toHaveLength(rows.size);
    for (const row of rows.values()) {
      expect(['answered', 'slow', 'refused', 'failed', 'skipped']).toContain(row['status']);
      expect(row).toMatchObject({
        reason: expect.stringMatching(/\S/),
        elapsed_ms: expect.any(Number),
        items: expect.any(Number),
      });
    }
    for (const product of list(body['products'])) {
      const seller = (product['ext'] as { switchyard?: { seller?: string } }).switchyard?.seller;
      expect(String(product['product_id'])).toMatch(new RegExp(`^${String(seller)}:.`));
      expect([seller, rows.get(String(seller))?.['status']]).toEqual([seller, 'answered']);
    }
    const counted = [...rows.values()].reduce((sum, row) => sum + Number(row['items']), 0);
    expect(list(body['products']).length).toBeLessThanOrEqual(counted);
    expectTheRestUnharmed(rows);
  });

  it('`ask --json` prints that answer, with a row per seller and progress on standard error', async () => {
    const { code, stdout, stderr } = await runSwitchyard([
      'ask',
      'everything there is',
      '--data',
      folder.path,
      '--json',
    ]);
    expect(code).toBe(0);
    const answer = JSON.parse(stdout) as Json;
    expect(list(answer['sellers']).map((row) => row['seller'])).toEqual(
      expect.arrayContaining([...healthy, 'flapping', 'malformed', 'slow', 'guest', 'liar']),
    );
    for (const product of list(answer['products']))
      expect(String(product['product_id'])).toMatch(new RegExp(`^${String(product['seller'])}:`));
    expect(stderr.match(/^\[\d+\/\d+\]/gm)).toHaveLength(list(answer['sellers']).length);
  });

  it('is answered by the other sellers when one disconnects, hangs, or sends wrong data', async () => {
    const bad: [string, Parameters<PlainSeller['behave']>[0], string][] = [
      ['hangs up', () => 'hang up', 'failed'],
      ['never answers', () => 'never', 'slow'],
      ['answers a text for a list', () => ({ json: '{"products":"as discussed"}' }), 'failed'],
      ['answers a list for an object', () => ({ json: '[]' }), 'failed'],
      [
        'answers a thousand levels',
        () => ({ json: `{"products":${'['.repeat(1000)}${']'.repeat(1000)}}` }),
        'failed',
      ],
    ];
    for (const [what, behaviour, status] of bad) {
      liar.behave(behaviour);
      const { rows, httpStatus } = await query(status === 'slow' ? 5 : 30);
      expect([what, httpStatus, rows.get('liar')?.['status'], rows.get('liar')?.['items']]).toEqual([
        what,
        200,
        status,
        0,
      ]);
      expectTheRestUnharmed(rows);
    }
  });

  it('uses the valid part of an answer with U+0000, and never fails because of it', async () => {
    const usable = JSON.parse(products('plain_2')) as { products: Json[] };
    const nul = { ...usable.products[0], product_id: 'plain_3', name: 'Product\0 three' };
    guest.behave(() => ({ json: JSON.stringify({ ...usable, products: [...usable.products, nul] }) }));
    const requested = await query();
    expect(requested.rows.get('guest')?.['status']).toBe('answered');
    expectTheRestUnharmed(requested.rows);
    expect(requested.text).not.toContain('\\u0000');
    // The valid quotes beside it can be bought, so they were stored.
    guest.behave((tool) =>
      tool === 'create_media_buy'
        ? {
            json: JSON.stringify({
              status: 'completed',
              media_buy_id: 'theirs_1',
              media_buy_status: 'active',
              packages: [{ package_id: 'p1', product_id: 'plain_2', context: { note: 'a\0b' } }],
              ext: { note: 'c\0d' },
            }),
          }
        : { json: JSON.stringify(usable) },
    );
    const fetched = await Catalogue.read(instance, 1);
    const bought = await callTask(
      'REST',
      instance,
      'create_media_buy',
      buyRequest([fetched.packageOf('guest')]),
    );
    expect(bought.errors).toEqual([]);
    expect(bought.body).toMatchObject({ status: 'completed', media_buy_id: expect.any(String) });
    guest.behave(() => ({ json: products('plain_1') }));
  });

  it('leaves out a seller that was unreachable when it was added, and says so', async () => {
    const { code, stdout, stderr } = await add('closed', `http://127.0.0.1:${String(await freePort())}/mcp`);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      slug: 'closed',
      state: 'failed',
      checks: expect.arrayContaining([expect.objectContaining({ key: 'reach.mcp', state: 'failed' })]),
    });
    expect(stderr).toMatch(/closed is not live/);
    const { rows } = await query();
    expect([undefined, 'skipped']).toContain(rows.get('closed')?.['status']);
    expectTheRestUnharmed(rows);
  });
});

describe('buying', () => {
  /** Returns the task's result when it has arrived. */
  async function settled(answer: TaskResponse): Promise<Json> {
    expect(answer.errors).toEqual([]);
    const taskId = answer.body['task_id'];
    if (answer.body['status'] === 'completed') return answer.body;
    return waitUntil('the task is completed', async () => {
      const args = { adcp_version: '3.1', task_id: taskId, include_result: true };
      const { body } = await callTask('REST', instance, 'get_task_status', args);
      if (body['status'] === 'failed') throw new Error(JSON.stringify(body));
      return body['status'] === 'completed' ? (body['result'] as Json) : undefined;
    });
  }

  it.each([
    ['the seller that answers `pending` with a task', 'seed'],
    ['the seller that is a generation behind', 'behind'],
    ['the seller that asks a human', 'human'],
    ['the seller that is slow and keeps no keys, in its own currency', 'slow'],
    ['the auction, with a bid', 'auction'],
  ])('from %s creates a buy with the requested package and budget', async (_what, seller) => {
    const part = catalogue.packageOf(seller, {
      budget: 4321.5,
      context: { buyer_ref: `mine at ${seller}`, deep: [{ kept: true }] },
    });
    const result = await settled(
      await callTask(
        'REST',
        instance,
        'create_media_buy',
        buyRequest([part], { context: { whole: seller } }),
      ),
    );
    const [shown] = list(result['packages']);
    expect(shown).toMatchObject({
      package_id: expect.stringMatching(new RegExp(`^${seller}:`)),
      product_id: part['product_id'],
      context: { buyer_ref: `mine at ${seller}`, deep: [{ kept: true }] },
    });
    const [theirs, ...more] = await market.booksOf(seller);
    expect(more).toEqual([]);
    expect(theirs).toMatchObject({
      budget_micros: '4321500000',
      currency: seller === 'slow' ? 'EUR' : 'USD',
      packages: [
        { product_id: String(part['product_id']).slice(seller.length + 1), budget_micros: '4321500000' },
      ],
    });
    if (seller === 'auction')
      expect(theirs?.packages[0]?.bid_micros).toBe(`${String(part['bid_price'])}000000`);
  });

  it('over several sellers by file from the command line makes one buy with a part at each', async () => {
    const file = join(scratch, 'buy.json');
    const sellers = ['prompt', 'courier', 'behind'];
    writeFileSync(file, JSON.stringify(buyRequest(sellers.map((seller) => catalogue.packageOf(seller)))));
    const { code, stdout } = await runSwitchyard(['buy', file, '--data', folder.path, '--json']);
    expect(code).toBe(0);
    const answer = JSON.parse(stdout) as Json;
    expect(list(answer['packages']).map(({ package_id: id }) => String(id).split(':')[0])).toEqual(sellers);
    const again = await runSwitchyard(['buy', file, '--data', folder.path, '--json']);
    expect((JSON.parse(again.stdout) as Json)['media_buy_id']).toBe(answer['media_buy_id']);
    expect(await market.booksOf('prompt')).toHaveLength(1);
  });

  it('in the service form, without a version, names the seller beside every package', async () => {
    const { context: _none, ...part } = catalogue.packageOf('courier');
    const answer = await callTask('REST', instance, 'create_media_buy', {
      buyer_ref: 'summer in the service form',
      brand_manifest: { url: 'https://roaster.example' },
      start_time: { type: 'asap' },
      end_time: new Date(Date.now() + 43_200_000).toISOString(),
      packages: [{ ...part, buyer_ref: 'line 1' }],
    });
    expect(answer.errors).toEqual([]);
    expect(answer.body).toMatchObject({
      buyer_ref: 'summer in the service form',
      packages: [{ buyer_ref: 'line 1' }],
    });
  });
});

describe('signals', () => {
  const target = { type: 'platform', platform: 'the-trade-desk', account: 'acc-1' };

  it('come from both agents, each item with its agent in its id', async () => {
    const { body } = await callTask('REST', instance, 'get_signals', {
      signal_spec: 'sports fans',
      deliver_to: { deployments: [target], countries: ['US'] },
    });
    const agents = new Set(
      list(body['signals']).map((each) => String(each['signal_agent_segment_id']).split(':')[0]),
    );
    expect([...agents].sort()).toEqual(['signals-later', 'signals-now']);
    for (const each of list(body['signals']))
      expect(String(each['signal_agent_segment_id'])).toMatch(new RegExp(`^${String(each['seller'])}:`));
  });

  it.each(['signals-now', 'signals-later'])('activated at %s end live, with a key', async (agent) => {
    const found = await callTask('REST', instance, 'get_signals', {
      signal_spec: 'sports fans',
      deliver_to: { deployments: [target], countries: ['US'] },
    });
    const signal = list(found.body['signals']).find((each) =>
      String(each['signal_agent_segment_id']).startsWith(`${agent}:`),
    );
    const id = signal?.['signal_agent_segment_id'];
    const activated = await callTask('REST', instance, 'activate_signal', {
      signal_agent_segment_id: id,
      deployments: [target],
      // Shorter than the later agent takes: within the time budget a buyer gets the final answer.
      time_budget: { interval: 1, unit: 'seconds' },
    });
    expect(activated.errors).toEqual([]);
    const live = await waitUntil('the signal is live', async () => {
      const { body } = await callTask('REST', instance, 'get_signals', {
        signal_spec: 'sports fans',
        deliver_to: { deployments: [target], countries: ['US'] },
      });
      const shown = list(body['signals']).find((each) => each['signal_agent_segment_id'] === id);
      return list(shown?.['deployments']).find((each) => each['is_live'] === true);
    });
    expect(live).toMatchObject({ platform: 'the-trade-desk', activation_key: { type: 'segment_id' } });
    const taskId = activated.body['task_id'];
    if (agent === 'signals-later') {
      expect(taskId).toEqual(expect.any(String));
      const { body } = await waitUntil('our own task is completed', async () => {
        const answer = await callTask('REST', instance, 'get_task_status', {
          task_id: taskId,
          include_result: true,
        });
        return answer.body['status'] === 'completed' ? answer : undefined;
      });
      expect(JSON.stringify(body)).toContain('activation_key');
    }
  });
});

describe('the whole market', () => {
  it('killed during a query leaves an answer with a row for every seller', async () => {
    const pid = marketOf(instance.pid);
    expect(pid).toBeDefined();
    const callsToSlow = async (): Promise<number> =>
      (await market.calls()).find(({ slug }) => slug === 'slow')?.counts['get_products'] ?? 0;
    const before = await callsToSlow();
    const requested = query(30);
    // The first sellers answer within milliseconds; the slow one takes a second and a half.
    await waitUntil('somebody was asked', async () => ((await callsToSlow()) > before ? true : undefined));
    signal(pid ?? 0, 'SIGKILL');
    const { rows, httpStatus } = await requested;
    expect(httpStatus).toBe(200);
    expect(rows.size).toBeGreaterThanOrEqual(11);
    expect(rows.get('guest')?.['status']).toBe('answered');
    expect(rows.get('slow')).toMatchObject({ status: 'failed', items: 0 });
    const after = await query(30);
    expect([
      after.httpStatus,
      after.rows.get('guest')?.['status'],
      after.rows.get('prompt')?.['status'],
    ]).toEqual([200, 'answered', 'failed']);
    expect((await fetch(`${instance.url}/healthz`)).status).toBe(200);
  });
});
