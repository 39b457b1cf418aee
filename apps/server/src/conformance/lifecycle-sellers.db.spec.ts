import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { releaseNames } from '@switchyard/protocol';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import { digest, openLifecycleSeller, type LifecycleStage } from './testkit/lifecycle-seller.js';

const [release = ''] = releaseNames;
let stage: LifecycleStage;
beforeAll(async () => {
  stage = await openLifecycleSeller();
});
afterAll(() => stage.close());

const brand = { domain: 'brand.example' };
const account = { brand, operator: 'agency.example' };
const flight = { start_time: '2090-01-01T00:00:00Z', end_time: '2090-02-01T00:00:00Z' };
const key = () => ({ idempotency_key: randomUUID() });
const in31 = (task: string, args: JsonObject) => stage.call(task, { adcp_version: '3.1', ...args });
const buy = (more: JsonObject = {}) => ({ ...key(), account, brand, ...flight, ...more });
const ofProduct = (more: JsonObject = {}) =>
  buy({
    packages: [{ product_id: 'v31:ctv', pricing_option_id: 'cpm', budget: 500, ...more }],
  });
const first = (value: unknown): JsonObject => {
  const [item] = Array.isArray(value) ? value : [];
  return isJsonObject(item) ? item : {};
};
const toolsOf = (calls: ReturnType<LifecycleStage['received']>) => calls.map(({ tool }) => tool);

// What the seller receives is held against the schemas of its release by `testkit/watch-wire.ts`.
describe('a seller that has only the tasks of a later release', () => {
  it('is asked for its list by a buyer of an older release, and shows its products and prices', async () => {
    const answer = await in31('get_products', { buying_mode: 'wholesale', brand, account });
    expect(first(answer['products'])).toMatchObject({
      product_id: 'v31:ctv',
      pricing_options: [{ pricing_option_id: 'cpm', fixed_price: 5 }],
    });
    const [call] = stage.received();
    expect(call).toMatchObject({ tool: 'list_products', args: { adcp_version: release, max_results: 100 } });
  });

  it('is asked for proposals by a brief, commits to one, and is bought from at the digest of its terms', async () => {
    const found = await in31('get_products', { buying_mode: 'brief', brief: 'Evenings', brand, account });
    expect(first(found['proposals'])).toMatchObject({
      proposal_id: 'v31:plan',
      proposal_status: 'draft',
      allocations: [{ product_id: 'v31:ctv', pricing_option_id: 'cpm', allocation_percentage: 100 }],
    });
    const held = await in31('get_products', {
      buying_mode: 'refine',
      brand,
      account,
      refine: [{ scope: 'proposal', proposal_id: 'v31:plan', action: 'finalize' }],
    });
    expect(held['refinement_applied']).toMatchObject([{ proposal_id: 'v31:plan', status: 'applied' }]);
    expect(first(held['proposals'])['proposal_status']).toBe('committed');
    const args = buy({ proposal_id: 'v31:plan', total_budget: { amount: 500, currency: 'USD' } });
    const made = await in31('create_media_buy', args);
    expect(made).toMatchObject({ packages: [{ product_id: 'v31:ctv' }] });
    const calls = stage.received();
    expect(toolsOf(calls)).toEqual(['request_proposals', 'refine_proposals', 'accept_proposal']);
    expect(calls.at(-1)?.args).toMatchObject({ proposal_id: 'plan', proposal_terms_digest: digest });
  });

  it('is bought from at the version of its list, with a warning beside the success and what it has no place for named', async () => {
    const creatives = [{ creative_id: 'c' }];
    const made = await in31('create_media_buy', ofProduct({ creative_assignments: creatives, bid_price: 5 }));
    expect(made['media_buy_id']).toMatch(/^mb_/);
    expect(first(made['packages'])).toMatchObject({ budget: 500 });
    const text = JSON.stringify(made);
    expect(text).toContain('inventory_shortfall_forecast');
    expect(text).toContain('creative_assignments');
    const calls = stage.received();
    expect(toolsOf(calls)).toEqual(['list_products', 'buy_products']);
    expect(calls[1]?.args).toMatchObject({
      adcp_version: release,
      feed_version: 'feed-7',
      purchases: [{ product_id: 'ctv', pricing_option_id: 'cpm', budget: 500, bidding: { bid_amount: 5 } }],
    });
  });

  it('is told a control with the revision that it has, and nothing of a change that needs a new agreement', async () => {
    const { media_buy_id: id = '' } = await in31('create_media_buy', ofProduct());
    stage.received();
    const paused = await in31('update_media_buy', { ...key(), account, media_buy_id: id, paused: true });
    expect(JSON.stringify(paused)).toContain('pacing_change_creates_delivery_risk');
    const calls = stage.received();
    expect(toolsOf(calls).slice(0, 2)).toEqual(['get_media_buys', 'control_media_buy']);
    expect(calls[1]?.args).toMatchObject({ revision: 1, paused: true });
    const longer = { ...key(), account, media_buy_id: id, end_time: '2090-03-01T00:00:00Z' };
    const refused = await in31('update_media_buy', longer);
    expect(refused['status']).toBe('failed');
    expect(toolsOf(stage.received())).not.toContain('control_media_buy');
  });

  it('gets the declined proposals of buyers of its release', async () => {
    const declined = await stage.call('decline_proposals', {
      adcp_version: release,
      ...key(),
      declines: [{ proposal_id: 'v31:plan', reason: 'price', detail: 'Too dear.' }],
    });
    expect(declined['results']).toMatchObject([{ proposal_id: 'v31:plan', outcome: 'declined' }]);
    const told = stage.received().find(({ tool }) => tool === 'decline_proposals');
    expect(told).toMatchObject({
      args: { declines: [{ proposal_id: 'plan', reason: 'price', detail: 'Too dear.' }] },
    });
  });
});
