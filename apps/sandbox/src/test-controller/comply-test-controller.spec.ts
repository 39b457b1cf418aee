import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listOf, objectOf, textOf, type Json, type JsonObject } from '../json.js';
import { startSandbox, type Sandbox } from '../start-sandbox.js';
import { callAgent, listTools } from '../testkit/call-agent.js';
import { buyRequest, codesOf } from '../testkit/requests.js';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, seed: 'rehearsal', dayMs: 60_000, agents: ['prompt', 'behind'] });
});
afterAll(() => sandbox.stop());

function agent(slug: string) {
  const found = sandbox.agents.find((each) => each.slug === slug);
  if (!found) throw new Error(`no agent ${slug}`);
  return found;
}

async function runTestController(scenario: string, params: JsonObject = {}): Promise<JsonObject> {
  return (await callAgent(agent('prompt'), 'comply_test_controller', { scenario, params })).body;
}

async function boughtWith(packageExtra: JsonObject): Promise<JsonObject> {
  const request = await buyRequest(agent('prompt'));
  const packages = (listOf(request['packages']) ?? []).map((item) => ({
    ...objectOf(item),
    ...packageExtra,
  }));
  return (await callAgent(agent('prompt'), 'create_media_buy', { ...request, packages })).body;
}

const firstOf = (body: JsonObject, list: string): JsonObject => objectOf(listOf(body[list])?.[0]) ?? {};

describe('an agent with a test controller', () => {
  it('is one agent of the market, and names the scenarios it knows', async () => {
    expect(await listTools(agent('prompt'))).toContain('comply_test_controller');
    expect(await listTools(agent('behind'))).not.toContain('comply_test_controller');
    const scenarios = [
      'seed_product',
      'seed_pricing_option',
      'seed_creative_format',
      'simulate_delivery',
      'simulate_budget_spend',
      'force_media_buy_status',
      'force_creative_status',
      'force_creative_purge',
      'force_create_media_buy_arm',
      'force_task_completion',
    ];
    expect(await runTestController('list_scenarios')).toMatchObject({ success: true, scenarios });
    expect(await runTestController('seed_plan', { plan_id: 'p' })).toMatchObject({
      success: false,
      error: 'UNKNOWN_SCENARIO',
    });
  });

  it('sells the products added to its catalogue, at the given prices', async () => {
    const fixture = { channels: ['video'], delivery_type: 'guaranteed', format_ids: [{ id: 'video_30s' }] };
    expect(await runTestController('seed_product', { product_id: 'seeded', fixture })).toMatchObject({
      success: true,
    });
    const price = { currency: 'USD', floor_price: 5 };
    const option = { product_id: 'seeded', pricing_option_id: 'bid', fixture: price };
    expect(await runTestController('seed_pricing_option', option)).toMatchObject({ success: true });
    const bought = await boughtWith({
      product_id: 'seeded',
      pricing_option_id: 'bid',
      bid_price: 6,
      creatives: [],
    });
    expect(bought).toMatchObject({
      media_buy_status: 'pending_creatives',
      packages: [{ product_id: 'seeded', bid_price: 6 }],
    });
    const low = await boughtWith({ product_id: 'seeded', pricing_option_id: 'bid', bid_price: 1 });
    expect(codesOf(low)).toEqual(['INVALID_REQUEST']);
  });

  it.each<[string, JsonObject]>([
    ['seed_product', {}],
    ['seed_product', { product_id: 'x', fixture: { channels: ['cinema'] } }],
    ['seed_pricing_option', { product_id: 'never-seeded', pricing_option_id: 'x' }],
    ['simulate_delivery', { media_buy_id: 'mb_none' }],
    ['force_media_buy_status', { media_buy_id: 'mb_none', status: 'active' }],
    ['simulate_budget_spend', { media_buy_id: 'mb_none', spend_percentage: 50 }],
    ['seed_creative_format', {}],
    ['seed_creative_format', { format_id: 'a:b' }],
    ['seed_creative_format', { format_id: 'a', fixture: { agent_url: 'nowhere' } }],
    ['force_creative_status', { status: 'approved' }],
    ['force_creative_status', { creative_id: 'nobody’s', status: 'approved' }],
    ['force_creative_status', { creative_id: 'nobody’s', status: 'loved' }],
    ['force_creative_purge', {}],
    ['force_creative_purge', { creative_id: 'nobody’s' }],
    ['force_creative_purge', { creative_id: 'nobody’s', purge_kind: 'hard' }],
    ['force_create_media_buy_arm', { arm: 'completed' }],
    ['force_create_media_buy_arm', { arm: 'submitted' }],
    ['force_create_media_buy_arm', { arm: 'submitted', task_id: 'x'.repeat(129) }],
    ['force_task_completion', { task_id: 'none', result: { media_buy_id: 'mb_1', packages: [] } }],
  ])('refuses %s with %j in its own format, and does not change', async (scenario, params) => {
    expect(await runTestController(scenario, params)).toMatchObject({
      success: false,
      error: expect.any(String),
    });
  });

  it('reports the simulated delivery, in sum', async () => {
    const bought = await boughtWith({ creatives: [] });
    const figures = {
      media_buy_id: textOf(bought['media_buy_id']) ?? '',
      impressions: 5000,
      clicks: 150,
      reported_spend: { amount: 250, currency: 'USD' },
    };
    await runTestController('simulate_delivery', figures);
    expect(await runTestController('simulate_delivery', figures)).toMatchObject({
      simulated: { impressions: 5000 },
      cumulative: { impressions: 10_000, clicks: 300, reported_spend: { amount: 500 } },
    });
    const { body } = await callAgent(agent('prompt'), 'get_media_buy_delivery', {
      media_buy_ids: [bought['media_buy_id'] ?? ''],
    });
    expect(firstOf(body, 'media_buy_deliveries')).toMatchObject({
      totals: { impressions: 10_000, spend: 500 },
    });
  });
});

describe('a package', () => {
  it('keeps its targeting, before and after an update, and starts once it has creatives', async () => {
    const targeting = { property_list: { agent_url: 'https://lists.example', list_id: 'one' } };
    const bought = await boughtWith({ targeting_overlay: targeting, creatives: [] });
    expect(firstOf(bought, 'packages')).toMatchObject({ targeting_overlay: targeting });
    const other = { property_list: { agent_url: 'https://lists.example', list_id: 'two' } };
    const { body } = await callAgent(agent('prompt'), 'update_media_buy', {
      idempotency_key: 'test-update-0001',
      media_buy_id: bought['media_buy_id'] ?? '',
      packages: [
        {
          package_id: firstOf(bought, 'packages')['package_id'] ?? '',
          targeting_overlay: other,
          creative_assignments: [{ creative_id: 'cr_1' }],
        },
      ],
    });
    expect(body).toMatchObject({
      media_buy_status: 'pending_start',
      affected_packages: [{ targeting_overlay: other }],
    });
  });

  it('is not sold on terms that nobody can fulfill', async () => {
    const terms = { billing_measurement: { max_variance_percent: 0 } };
    expect(codesOf(await boughtWith({ measurement_terms: terms }))).toEqual(['TERMS_REJECTED']);
  });
});

describe('a buy that is forced into an arm', () => {
  const arm = (params: JsonObject) => runTestController('force_create_media_buy_arm', params);

  it('is accepted under the given name, one buy for each request, and later buys are as usual', async () => {
    expect(await arm({ arm: 'submitted', task_id: 'io_1', message: 'A contract is signed.' })).toMatchObject({
      success: true,
      forced: { arm: 'submitted', task_id: 'io_1' },
    });
    expect(await arm({ arm: 'submitted', task_id: 'io_1' })).toMatchObject({ error: 'INVALID_PARAMS' });
    await arm({ arm: 'input-required', message: 'Whose budget is it?' });
    const taken = await boughtWith({ creatives: [] });
    expect(taken).toMatchObject({ status: 'submitted', task_id: 'io_1', message: 'A contract is signed.' });
    expect(taken).not.toHaveProperty('media_buy_id');
    expect(taken).not.toHaveProperty('packages');
    expect(await boughtWith({ creatives: [] })).toMatchObject({
      errors: [{ message: 'Whose budget is it?' }],
    });
    expect(await boughtWith({ creatives: [] })).toHaveProperty('media_buy_id');
  });

  it('ends with exactly the given result, and is a buy under its ids', async () => {
    await arm({ arm: 'submitted', task_id: 'io_2' });
    await boughtWith({ creatives: [] });
    const result = { media_buy_id: 'mb_forced', packages: [{ package_id: 'pkg_forced' }], note: 'verbatim' };
    const broken = await runTestController('force_task_completion', {
      task_id: 'io_2',
      result: { packages: [] },
    });
    expect(broken).toMatchObject({ success: false, error: 'INVALID_PARAMS' });
    expect(await runTestController('force_task_completion', { task_id: 'io_2', result })).toMatchObject({
      success: true,
      current_state: 'completed',
    });
    expect(await runTestController('force_task_completion', { task_id: 'io_2', result })).toMatchObject({
      success: true,
      previous_state: 'completed',
    });
    const other = { ...result, media_buy_id: 'mb_other' };
    expect(
      await runTestController('force_task_completion', { task_id: 'io_2', result: other }),
    ).toMatchObject({
      error: 'INVALID_TRANSITION',
    });
    const received = await callAgent(agent('prompt'), 'tasks/get', { task_id: 'io_2', include_result: true });
    expect(received.body).toMatchObject({ status: 'completed', result });
    const shown = await callAgent(agent('prompt'), 'get_media_buys', { media_buy_ids: ['mb_forced'] });
    expect(firstOf(shown.body, 'media_buys')).toMatchObject({
      media_buy_id: 'mb_forced',
      packages: [{ package_id: 'pkg_forced' }],
    });
  });

  it('spends the share of its budget that was simulated, and never less than before', async () => {
    const { media_buy_id: id } = await boughtWith({ creatives: [], budget: 1_000 });
    const spend = (share: number) =>
      runTestController('simulate_budget_spend', { media_buy_id: id ?? '', spend_percentage: share });
    expect(await spend(25)).toMatchObject({
      success: true,
      simulated: { computed_spend: 250, budget: 1_000 },
    });
    expect(await spend(80)).toMatchObject({ simulated: { computed_spend: 800 } });
    expect(await spend(10)).toMatchObject({ success: false, error: 'INVALID_TRANSITION' });
    expect(await spend(101)).toMatchObject({ success: false, error: 'INVALID_PARAMS' });
  });
});

describe('a creative with a forced state', () => {
  const force = (params: JsonObject) => runTestController('force_creative_status', params);
  const shown = async (ids: readonly string[], more: JsonObject = {}): Promise<JsonObject> => {
    const filters = { creative_ids: [...ids], ...more };
    return (await callAgent(agent('prompt'), 'list_creatives', { filters })).body;
  };
  async function synced(creativeId: string, formatId: JsonObject): Promise<JsonObject> {
    const creative = { creative_id: creativeId, name: creativeId, format_id: formatId, assets: {} };
    const args = {
      account: { brand: { domain: 'forced.example' }, operator: 'forced.example' },
      idempotency_key: `forced-creative-${creativeId}`,
      creatives: [creative],
    };
    return (await callAgent(agent('prompt'), 'sync_creatives', args)).body;
  }

  it('is accepted in a format that was added to the list, only under the named agent', async () => {
    const theirs = { agent_url: 'https://formats.example', id: 'poster' };
    expect(codesOf(await synced('cr_poster', theirs))).toEqual(['CREATIVE_REJECTED']);
    const fixture = { agent_url: 'https://formats.example/', name: 'Poster' };
    expect(await runTestController('seed_creative_format', { format_id: 'poster', fixture })).toMatchObject({
      success: true,
    });
    expect(await runTestController('seed_creative_format', { format_id: 'reel_video' })).toMatchObject({
      success: true,
    });
    const { body } = await callAgent(agent('prompt'), 'list_creative_formats', {});
    expect(body['formats']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ format_id: theirs, name: 'Poster', type: 'display' }),
        expect.objectContaining({
          format_id: { agent_url: 'https://creatives.market.example', id: 'reel_video' },
          type: 'video',
        }),
      ]),
    );
    expect(await synced('cr_poster_2', theirs)).toMatchObject({ creatives: [{ action: 'created' }] });
    expect(codesOf(await synced('cr_other', { ...theirs, agent_url: 'https://else.example' }))).toEqual([
      'CREATIVE_REJECTED',
    ]);
  });

  it('has the forced state with the reason, and changes only in valid transitions', async () => {
    await synced('cr_forced', { agent_url: 'https://creatives.market.example', id: 'display_300x250' });
    const creative = { creative_id: 'cr_forced' };
    expect(await force({ ...creative, status: 'approved' })).toMatchObject({
      success: true,
      previous_state: 'approved',
      current_state: 'approved',
    });
    expect(await force({ ...creative, status: 'rejected', rejection_reason: 'Too loud.' })).toMatchObject({
      previous_state: 'approved',
      current_state: 'rejected',
    });
    expect(firstOf(await shown(['cr_forced']), 'creatives')).toMatchObject({
      status: 'rejected',
      rejection_reason: 'Too loud.',
    });
    expect(await force({ ...creative, status: 'archived' })).toMatchObject({
      success: false,
      error: 'INVALID_TRANSITION',
      current_state: 'rejected',
    });
    await force({ ...creative, status: 'pending_review' });
    expect(firstOf(await shown(['cr_forced']), 'creatives')).not.toHaveProperty('rejection_reason');
    expect(await force({ ...creative, status: 'approved' })).toMatchObject({ success: true });
    expect(await runTestController('force_creative_purge', creative)).toMatchObject({
      previous_state: 'approved',
      current_state: 'archived',
    });
    expect(await force({ ...creative, status: 'processing' })).toMatchObject({
      error: 'INVALID_TRANSITION',
    });
    expect(await shown(['cr_forced'])).toMatchObject({ creatives: [] });
    expect(await shown(['cr_forced'], { statuses: ['archived'] })).toMatchObject({
      creatives: [{ status: 'archived' }],
    });
  });
});

describe('a buy with a forced state', () => {
  const force = (id: Json | undefined, status: string, reason?: string) =>
    runTestController('force_media_buy_status', {
      media_buy_id: textOf(id) ?? '',
      status,
      ...(reason === undefined ? {} : { rejection_reason: reason }),
    });
  const shown = async (id: Json | undefined) =>
    firstOf(
      (await callAgent(agent('prompt'), 'get_media_buys', { media_buy_ids: [textOf(id) ?? ''] })).body,
      'media_buys',
    );

  it.each(['completed', 'canceled'])('ends as %s, and never leaves that state', async (end) => {
    const { media_buy_id: id } = await boughtWith({ creatives: [] });
    expect(await force(id, end)).toMatchObject({ success: true, current_state: end });
    expect(await shown(id)).toMatchObject({ status: end, valid_actions: [] });
    expect(await force(id, end)).toMatchObject({ success: true, previous_state: end });
    expect(await force(id, 'active')).toMatchObject({ error: 'INVALID_TRANSITION', current_state: end });
  });

  it('is rejected with a reason only before it has begun, and cannot be updated', async () => {
    const { media_buy_id: id } = await boughtWith({ creatives: [] });
    expect(await force(id, 'rejected', 'The brand is not wanted.')).toMatchObject({ success: true });
    expect(await shown(id)).toMatchObject({
      status: 'rejected',
      rejection_reason: 'The brand is not wanted.',
    });
    const change = { idempotency_key: 'forced-rejected-0001', media_buy_id: id ?? '', paused: true };
    expect(codesOf((await callAgent(agent('prompt'), 'update_media_buy', change)).body)).toEqual([
      'INVALID_STATE',
    ]);
    const begun = await boughtWith({ creatives: [] });
    await force(begun['media_buy_id'], 'active');
    expect(await force(begun['media_buy_id'], 'rejected')).toMatchObject({ error: 'INVALID_TRANSITION' });
  });
});
