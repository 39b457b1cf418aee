import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { list, type Json } from './harness/buy-request.js';
import { dataFolder } from './harness/data-folder.js';
import { callTask, post, type TaskResponse } from './harness/call-task.js';
import { admin } from './harness/own-everything.js';
import { startInstance, type Instance } from './harness/instance.js';

/** `comply_test_controller` of the built product: forced and seeded values are stored like all others. */
const folder = dataFolder();
let instance: Instance;

beforeAll(async () => {
  instance = await startInstance(folder.path, ['--market', 'prompt,courier']);
});
afterAll(async () => {
  await instance.stop();
  await folder.remove();
});

const tool = 'comply_test_controller';
const account = { brand: { domain: 'seeded.example' }, operator: 'agency.example' };
const call = async (task: string, args: Json): Promise<TaskResponse> =>
  callTask('MCP', instance, task, { adcp_version: '3.1', ...args });
const runTestController = async (
  scenario: string,
  params: Json = {},
  endpoint: 'MCP' | 'A2A' = 'MCP',
): Promise<Json> =>
  (await callTask(endpoint, instance, tool, { scenario, params, account: { ...account, sandbox: true } }))
    .body;
const format = { agent_url: 'https://formats.seeded.example', id: 'poster' };

describe.each(['MCP', 'A2A'] as const)('the tool over %s', (endpoint) => {
  it('lists its own scenarios, and none of other protocols', async () => {
    const { success, scenarios } = await runTestController('list_scenarios', {}, endpoint);
    expect(success).toBe(true);
    expect([...(scenarios as string[])].sort()).toEqual(
      [
        'force_account_status',
        'force_create_media_buy_arm',
        'force_creative_purge',
        'force_creative_status',
        'force_media_buy_status',
        'force_task_completion',
        'seed_account',
        'seed_creative',
        'seed_creative_format',
        'seed_media_buy',
        'seed_pricing_option',
        'seed_product',
        'simulate_budget_spend',
        'simulate_delivery',
      ].sort(),
    );
  });

  it.each([
    'force_session_status',
    'seed_plan',
    'seed_measurement_catalog',
    'force_get_products_arm',
    'toString',
  ])('refuses %s as unknown, in its own error format', async (scenario) => {
    expect(await runTestController(scenario, {}, endpoint)).toMatchObject({
      success: false,
      error: 'UNKNOWN_SCENARIO',
    });
  });

  it.each([
    ['force_account_status', { status: 'suspended' }],
    ['force_account_status', { account_id: 'x', status: 'loved' }],
    ['force_creative_status', { status: 'approved' }],
    ['force_creative_status', { creative_id: 'x' }],
    ['force_creative_purge', {}],
    ['force_media_buy_status', { status: 'active' }],
    ['seed_creative', {}],
    ['seed_media_buy', {}],
    ['seed_account', {}],
    ['seed_product', {}],
    ['simulate_budget_spend', { spend_percentage: 50 }],
  ])('refuses %s without a required member: %j', async (scenario, params) => {
    expect(await runTestController(scenario, params, endpoint)).toMatchObject({
      success: false,
      error: 'INVALID_PARAMS',
    });
  });

  it.each([
    ['force_account_status', { account_id: 'nobody', status: 'suspended' }],
    ['force_creative_status', { creative_id: 'nobody', status: 'approved' }],
    ['force_media_buy_status', { media_buy_id: 'nobody', status: 'active' }],
    ['simulate_delivery', { media_buy_id: 'nobody', impressions: 1 }],
    ['simulate_budget_spend', { account_id: 'nobody', spend_percentage: 50 }],
    ['force_task_completion', { task_id: 'nobody', result: {} }],
  ])('finds no object of another principal for %s', async (scenario, params) => {
    expect(await runTestController(scenario, params, endpoint)).toMatchObject({
      success: false,
      error: 'NOT_FOUND',
    });
  });
});

describe('an account', () => {
  const bought = (): Promise<TaskResponse> =>
    call('create_media_buy', {
      idempotency_key: randomUUID(),
      account: { account_id: 'acct_seeded' },
      brand: { domain: 'gate.example' },
      start_time: 'asap',
      end_time: new Date(Date.now() + 86_400_000).toISOString(),
      packages: [{ product_id: 'gate_product', pricing_option_id: 'fixed_usd', budget: 1_000 }],
    });
  const force = (status: string): Promise<Json> =>
    runTestController('force_account_status', { account_id: 'acct_seeded', status });

  it('that was seeded is listed and usable under its name, and its forced state controls buying', async () => {
    const fixture = { brand: { domain: 'gate.example' }, operator: 'agency.example' };
    expect(await runTestController('seed_account', { account_id: 'acct_seeded', fixture })).toMatchObject({
      success: true,
    });
    const { body } = await call('list_accounts', {});
    expect(body['accounts']).toContainEqual(
      expect.objectContaining({ account_id: 'acct_seeded', status: 'active' }),
    );
    await runTestController('seed_product', { product_id: 'gate_product', fixture: {} });
    expect(await force('suspended')).toMatchObject({ previous_state: 'active', current_state: 'suspended' });
    expect((await bought()).errors.map(({ code }) => code)).toEqual(['ACCOUNT_SUSPENDED']);
    expect(await force('payment_required')).toMatchObject({
      success: false,
      error: 'INVALID_TRANSITION',
      current_state: 'suspended',
    });
    await force('active');
    expect(await force('payment_required')).toMatchObject({ success: true });
    expect((await bought()).errors.map(({ code }) => code)).toEqual(['ACCOUNT_PAYMENT_REQUIRED']);
    expect(await force('active')).toMatchObject({ success: true });
    expect(await force('rejected')).toMatchObject({ success: false, error: 'INVALID_TRANSITION' });
    const made = await bought();
    expect(made.errors).toEqual([]);
    expect(await force('closed')).toMatchObject({ success: false, error: 'INVALID_STATE' });
    const spent = { account_id: 'acct_seeded', spend_percentage: 40 };
    expect(await runTestController('simulate_budget_spend', spent)).toMatchObject({
      success: true,
      simulated: { computed_spend: 400, budget: 1_000 },
    });
  });
});

describe('a live account', () => {
  it('is not put into any state: the tool answers FORBIDDEN', async () => {
    const declared = await call('sync_accounts', {
      idempotency_key: randomUUID(),
      accounts: [{ brand: { domain: 'live.example' }, operator: 'agency.example', billing: 'operator' }],
    });
    const [{ account_id: id } = {}] = list(declared.body['accounts']);
    const pair = { brand: { domain: 'live.example' }, operator: 'agency.example' };
    for (const target of [{ account_id: id, sandbox: true }, { ...pair, sandbox: false }, pair]) {
      const params = { product_id: 'p', fixture: {} };
      const { body } = await callTask('MCP', instance, tool, {
        scenario: 'seed_product',
        params,
        account: target,
      });
      expect(body).toMatchObject({ success: false, error: 'FORBIDDEN' });
    }
  });
});

describe('an account that finance suspended', () => {
  const pair = { brand: { domain: 'held.example' }, operator: 'agency.example' };
  const seed = (status: string): Promise<Json> =>
    runTestController('seed_account', { account_id: 'acct_held', fixture: { ...pair, status } });
  const force = (status: string): Promise<Json> =>
    runTestController('force_account_status', { account_id: 'acct_held', status });
  const held = async (): Promise<Json | undefined> =>
    list((await admin(instance, 'GET', '/v1/accounts'))['accounts']).find(
      (row) => row['brand_domain'] === 'held.example',
    );
  const byFinance = async (status: string): Promise<Json> => {
    const path = `/v1/accounts/${String((await held())?.['account_id'])}/status`;
    return admin(instance, 'POST', path, { status, reason: 'Invoices are open.' });
  };

  it.each(['suspended', 'payment_required'])(
    'as %s cannot be reactivated, closed or replaced by the buyer through the tool or a declaration',
    async (status) => {
      expect(await seed('active')).toMatchObject({ success: true });
      await byFinance(status);
      const refused = { success: false, error: 'FORBIDDEN', current_state: status };
      expect(await force('active')).toMatchObject(refused);
      expect(await seed('active')).toMatchObject(refused);
      expect(await force('closed')).toMatchObject(refused);
      const declared = await call('sync_accounts', {
        idempotency_key: randomUUID(),
        accounts: [{ brand: { domain: 'another.example' }, operator: 'agency.example', billing: 'operator' }],
        delete_missing: true,
      });
      const row = list(declared.body['accounts']).find(
        (item) => (item['brand'] as Json)['domain'] === 'held.example',
      );
      expect(row).toMatchObject({ action: 'failed', status, errors: [{ code: 'INVALID_STATE' }] });
      expect(await held()).toMatchObject({ status, reason: 'Invoices are open.' });
      // A status is lifted by whoever set it; the tool can still lift its own.
      await byFinance('active');
      expect(await force(status)).toMatchObject({ success: true });
      expect(await force('active')).toMatchObject({ success: true });
    },
  );
});

describe('a creative', () => {
  const shown = async (id: string): Promise<Json | undefined> => {
    const { body } = await call('list_creatives', { filters: { creative_ids: [id] } });
    return list(body['creatives'])[0];
  };

  it('that was seeded is in the library, with its format and state, and has the forced state', async () => {
    const fixture = { format_id: format, status: 'rejected', rejection_reason: 'Too loud.' };
    expect(await runTestController('seed_creative', { creative_id: 'cr_seeded', fixture })).toMatchObject({
      success: true,
    });
    expect(await shown('cr_seeded')).toMatchObject({ format_id: format, status: 'rejected' });
    const formats = (await call('list_creative_formats', {})).body['formats'];
    expect(formats).toContainEqual(expect.objectContaining({ format_id: format }));
    const back = { creative_id: 'cr_seeded', status: 'pending_review' };
    expect(await runTestController('force_creative_status', back, 'A2A')).toMatchObject({
      previous_state: 'rejected',
      current_state: 'pending_review',
    });
    expect(await shown('cr_seeded')).toMatchObject({ status: 'pending_review' });
    await runTestController('force_creative_status', { creative_id: 'cr_seeded', status: 'approved' });
    expect(await shown('cr_seeded')).toMatchObject({ status: 'approved' });
    expect(
      await runTestController('force_creative_status', { creative_id: 'cr_seeded', status: 'processing' }),
    ).toMatchObject({ success: false, error: 'INVALID_TRANSITION', current_state: 'approved' });
    expect(await runTestController('force_creative_purge', { creative_id: 'cr_seeded' })).toMatchObject({
      previous_state: 'approved',
      current_state: 'archived',
    });
    expect(await shown('cr_seeded')).not.toMatchObject({ status: 'approved' });
  });
});

describe('a media buy', () => {
  it('that was seeded belongs to the caller under its name, in its state, and is seeded once', async () => {
    const seed = { media_buy_id: 'mb_seeded', fixture: { status: 'active', currency: 'USD' } };
    expect(await runTestController('seed_media_buy', seed)).toMatchObject({ success: true });
    expect(await runTestController('seed_media_buy', seed)).toMatchObject({ success: true });
    const named = { media_buy_ids: ['mb_seeded'] };
    const { body } = await call('get_media_buys', named);
    expect(body['media_buys']).toMatchObject([{ media_buy_id: 'mb_seeded', status: 'active' }]);
    const delivered = { media_buy_id: 'mb_seeded', impressions: 5_000, clicks: 50 };
    expect(await runTestController('simulate_delivery', delivered)).toMatchObject({ success: true });
    const { body: delivery } = await call('get_media_buy_delivery', named);
    expect(delivery['media_buy_deliveries']).toMatchObject([{ media_buy_id: 'mb_seeded' }]);
    const over = { media_buy_id: 'mb_seeded', status: 'completed' };
    expect(await runTestController('force_media_buy_status', over)).toMatchObject({
      current_state: 'completed',
    });
    const update = { media_buy_id: 'mb_seeded', paused: true, account, idempotency_key: randomUUID() };
    expect((await call('update_media_buy', update)).errors).toHaveLength(1);
    expect(await runTestController('force_media_buy_status', { ...over, status: 'active' })).toMatchObject({
      success: false,
      error: 'INVALID_TRANSITION',
    });
  });

  it('keeps the forced arm and name, for its own caller', async () => {
    await runTestController('seed_product', { product_id: 'arm_product', fixture: {} });
    const arm = { arm: 'submitted', task_id: 'io_seeded' };
    expect(await runTestController('force_create_media_buy_arm', arm)).toMatchObject({
      success: true,
      forced: arm,
    });
    const { body } = await call('create_media_buy', {
      idempotency_key: randomUUID(),
      account,
      brand: account.brand,
      start_time: 'asap',
      end_time: new Date(Date.now() + 86_400_000).toISOString(),
      packages: [{ product_id: 'arm_product', pricing_option_id: 'fixed_usd', budget: 1_000 }],
    });
    expect(body).toMatchObject({ status: 'submitted', task_id: 'io_seeded' });
    const result = { media_buy_id: 'mb_of_theirs', packages: [{ package_id: 'pkg_of_theirs' }] };
    expect(await runTestController('force_task_completion', { task_id: 'io_seeded', result })).toMatchObject({
      success: true,
      current_state: 'completed',
    });
  });
});

describe('outside the local profile', () => {
  const away = dataFolder();
  let open: Instance;
  const behindProxy = { 'x-forwarded-for': '192.0.2.7', 'x-forwarded-proto': 'https' };

  beforeAll(async () => {
    open = await startInstance(away.path, ['--no-sandbox'], {
      SWITCHYARD_HOST: '0.0.0.0',
      SWITCHYARD_TRUSTED_PROXIES: '127.0.0.0/8',
    });
  });
  afterAll(async () => {
    await open.stop();
    await away.remove();
  });

  it('no endpoint lists or knows the tool', async () => {
    const to = { url: `http://127.0.0.1:${new URL(open.url).port}`, token: open.token, headers: behindProxy };
    const listed = await post('MCP', to, '/mcp', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
    expect(listed.text).toContain('get_products');
    expect(listed.text).not.toContain(tool);
    const card = await fetch(`${to.url}/.well-known/agent-card.json`, { headers: behindProxy });
    const text = await card.text();
    expect(text).toContain('get_products');
    expect(text).not.toContain(tool);
    for (const endpoint of ['MCP', 'A2A', 'REST'] as const) {
      const requested = await callTask(endpoint, to, tool, { scenario: 'list_scenarios' });
      expect([endpoint, requested.errors.map(({ code }) => code)]).toEqual([endpoint, ['NOT_FOUND']]);
    }
    const { body } = await callTask('REST', to, 'get_adcp_capabilities', {});
    expect(body).not.toHaveProperty('compliance_testing');
  });
});
