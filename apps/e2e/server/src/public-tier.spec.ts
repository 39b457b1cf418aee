import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { list, type Json } from './harness/buy-request.js';
import { dataFolder } from './harness/data-folder.js';
import { callTask, endpointNames, post } from './harness/call-task.js';
import { startInstance, type Instance } from './harness/instance.js';
import { Market } from './harness/market.js';

const folder = dataFolder();
let instance: Instance;
/** A caller without credentials. */
let anybody: { readonly url: string };
let market: Market;

beforeAll(async () => {
  instance = await startInstance(folder.path);
  anybody = { url: instance.url };
  market = Market.of(folder.path);
});

afterAll(async () => {
  await instance.stop();
  await folder.remove();
});

/** Enough time for all but the hanging agent, also on a busy machine. */
const timeout = { time_budget: { interval: 4, unit: 'seconds' } };
const everything = {
  adcp_version: '3.1',
  buying_mode: 'wholesale',
  brand: { domain: 'acme.example' },
  ...timeout,
};

describe.each(endpointNames)('without credentials over %s', (endpoint) => {
  it('capabilities and formats answer', async () => {
    for (const task of ['get_ads_capabilities', 'get_adcp_capabilities']) {
      const answer = await callTask(endpoint, anybody, task, {});
      expect([task, answer.httpStatus, answer.errors]).toEqual([task, 200, []]);
    }
    const formats = await callTask(endpoint, anybody, 'list_creative_formats', {
      adcp_version: '3.1',
      ...timeout,
    });
    expect(formats.errors).toEqual([]);
    expect(list(formats.body['formats']).length).toBeGreaterThan(0);
  });

  it('products have no prices and are only standard ones; an answer with credentials has both', async () => {
    const [open, known] = await Promise.all([
      callTask(endpoint, anybody, 'get_products', everything),
      callTask(endpoint, instance, 'get_products', everything),
    ]);
    const shown = list(open.body['products']);
    expect(shown.length).toBeGreaterThan(20);
    expect(figuresIn(shown)).toEqual([]);
    expect(figuresIn(list(known.body['products'])).length).toBeGreaterThan(20);
    expect(shown.filter((product) => product['is_custom'] === true)).toEqual([]);
    expect(
      list(known.body['products']).filter((product) => product['is_custom'] === true).length,
    ).toBeGreaterThan(0);
    const [option] = list(shown[0]?.['pricing_options']);
    expect(option).toMatchObject({ pricing_option_id: expect.any(String), currency: expect.any(String) });
  });

  it('products in the service form have no prices at all', async () => {
    const { body } = await callTask(endpoint, anybody, 'get_products', {
      brief: 'anything',
      ...timeout,
    });
    expect(list(body['products']).length).toBeGreaterThan(10);
    expect(figuresIn(list(body['products']))).toEqual([]);
  });

  it('sellers are queried anonymously, without Switchyard’s credentials', async () => {
    const before = await countsOf('known', 'get_products');
    const { body } = await callTask(endpoint, anybody, 'get_products', everything);
    expect(list(body['products']).length).toBeGreaterThan(0);
    expect(await countsOf('known', 'get_products')).toEqual(before);
    expect((await countsOf('public', 'get_products'))['prompt']).toBeGreaterThan(0);
  });

  it.each([
    ['get_signals', { signal_spec: 'sports', deliver_to: { deployments: [], countries: ['US'] } }],
    ['create_media_buy', {}],
    ['activate_signal', {}],
    ['get_media_buys', {}],
    ['get_media_buy_delivery', {}],
    ['get_task_status', { task_id: 'task_x' }],
  ])('%s is refused with 401 AUTH_REQUIRED and a challenge', async (task, args) => {
    const answer = await callTask(endpoint, anybody, task, args);
    expect(answer.httpStatus).toBe(401);
    expect(answer.errors[0]?.code).toBe('AUTH_REQUIRED');
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer realm="switchyard"/);
  });

  it.each([
    ['a token that nobody issued', `Bearer sy_${'A'.repeat(43)}`],
    ['a text that is no token', 'Bearer let-me-in'],
    ['another scheme', 'Basic dXNlcjpwYXNz'],
    ['two tokens', 'Bearer one, Bearer two'],
  ])('%s is refused with 401 AUTH_INVALID, even for public data', async (_what, authorization) => {
    for (const task of ['get_ads_capabilities', 'get_products', 'create_media_buy']) {
      const answer = await callTask(endpoint, { ...anybody, headers: { authorization } }, task, {});
      expect([task, answer.httpStatus, answer.errors[0]?.code]).toEqual([task, 401, 'AUTH_INVALID']);
      expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"');
      expect(answer.text).not.toContain('let-me-in');
    }
  });
});

describe('other addresses without credentials', () => {
  it.each([
    '/v1/sellers',
    '/v1/buys',
    '/v1/ledger/spend',
    '/v1/ledger/verify',
    '/v1/credentials',
    '/v1/events',
    '/v1/instance',
  ])('%s is refused', async (path) => {
    const answer = await fetch(instance.url + path);
    expect([answer.status, await answer.json()]).toMatchObject([401, { error: { code: 'AUTH_REQUIRED' } }]);
  });

  it('tokens are issued only with the admin secret of the folder, not without a credential or with another one', async () => {
    expect((await post('REST', anybody, '/v1/tokens', '{}')).httpStatus).toBe(401);
    const wrong = { ...anybody, token: 'A'.repeat(43) };
    expect((await post('REST', wrong, '/v1/tokens', '{}')).httpStatus).toBe(401);
  });

  it('health, metrics, the card, the description and the docs are public, and the metrics contain no token', async () => {
    for (const path of [
      '/healthz',
      '/readyz',
      '/metrics',
      '/.well-known/agent-card.json',
      '/openapi.json',
      '/docs',
    ]) {
      const answer = await fetch(instance.url + path);
      expect([path, answer.status]).toEqual([path, 200]);
      expect(await answer.text()).not.toContain(instance.token);
    }
  });
});

/** Returns every amount in some products, by its member's name. */
function figuresIn(products: readonly Json[]): string[] {
  const found: string[] = [];
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      if (typeof member === 'number' && /price|floor|rate|cpm|spend|cost|budget/.test(name)) found.push(name);
      look(member);
    }
  };
  look(products);
  return found;
}

/** Returns how often each seller got a tool call from a caller of that kind, among its last hundred calls. */
async function countsOf(caller: string, tool: string): Promise<Readonly<Record<string, number>>> {
  const calls = await market.calls();
  return Object.fromEntries(
    calls.map(({ slug, recent }) => [
      slug,
      recent.filter((call) => call.caller === caller && call.tool === tool).length,
    ]),
  );
}
