import { randomUUID } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { World } from './requests.js';

type Ask = (task: string, args: JsonObject) => Promise<JsonObject>;

const brand = { domain: 'brand.example' };
const account = { brand, operator: 'agency.example' };
const context = { trace: 'trace-1' };
const ext = { vendor: { note: 'kept' } };
const flight = { start_time: '2090-01-01T00:00:00Z', end_time: '2090-02-01T00:00:00Z' };
const sellers = ['service', 'v25', 'v30', 'v31'];
const proposal = 'v31:plan_1';
const key = () => ({ idempotency_key: randomUUID() });

const listing = (): JsonObject => ({
  account,
  criteria: { offer_filters: { delivery_type: 'guaranteed', channels: ['display'] } },
  max_results: 50,
  context,
});
const wish = (): JsonObject => ({
  ...key(),
  brand,
  brief: 'coffee drinkers',
  criteria: { offer_filters: { availability_horizon: flight } },
  context,
});
const finalization = (): JsonObject => ({
  ...key(),
  refinements: [{ proposal_id: proposal, action: 'finalize' }],
  context,
});

/**
 * One complete request for each task that a release adds beside older ones. Some name what an earlier answer promised, so they
 * ask for that first.
 */
export const lifecycleRequests: Readonly<Record<string, (world: World, ask: Ask) => Promise<JsonObject>>> = {
  sync_agent_notification_configs: () =>
    Promise.resolve({
      ...key(),
      notification_configs: [
        {
          // Another one each time: what is declared again is unchanged.
          subscriber_id: randomUUID(),
          url: 'https://buyer.example/capabilities',
          event_types: ['capabilities.changed'],
          // Nobody is there to prove an active one.
          active: false,
        },
      ],
      context,
      ext,
    }),
  list_products: () => Promise.resolve(listing()),
  request_proposals: () => Promise.resolve(wish()),
  refine_proposals: async (_world, ask) => {
    await ask('request_proposals', wish());
    return finalization();
  },
  decline_proposals: () =>
    Promise.resolve({
      ...key(),
      declines: [{ proposal_id: proposal, reason: 'price', detail: 'Too dear.' }],
      context,
    }),
  buy_products: async (_world, ask) => {
    const { feed_version: version = '' } = await ask('list_products', listing());
    return {
      ...key(),
      account,
      feed_version: version,
      purchases: sellers.map((seller) => ({
        product_id: `${seller}:prod_1`,
        pricing_option_id: 'fixed',
        budget: 1000.5,
        targeting_overlay: { geo_countries: ['US'] },
        context: { buyer_ref: `part of ${seller}` },
      })),
      ...flight,
      context,
      ext,
    };
  },
  accept_proposal: async (_world, ask) => {
    await ask('request_proposals', wish());
    const { results } = await ask('refine_proposals', finalization());
    return {
      ...key(),
      account,
      proposal_id: proposal,
      proposal_terms_digest: digestIn(results),
      total_budget: { amount: 4000.5, currency: 'USD' },
      context,
      ext,
    };
  },
  control_media_buy: async ({ mediaBuyId, packageAt }, ask) => {
    const { media_buys: buys } = await ask('get_media_buys', { media_buy_ids: [mediaBuyId], account });
    const [buy] = Array.isArray(buys) ? buys.filter(isJsonObject) : [];
    return {
      ...key(),
      account,
      media_buy_id: mediaBuyId,
      revision: buy?.['revision'] ?? 1,
      paused: true,
      packages: [{ package_id: packageAt['v31'] ?? '', targeting_overlay: { geo_countries: ['US'] } }],
      context,
      ext,
    };
  },
};

function digestIn(results: JsonValue | undefined): string {
  const [first] = Array.isArray(results) ? results.filter(isJsonObject) : [];
  const made = isJsonObject(first?.['proposal']) ? first['proposal'] : {};
  return typeof made['terms_digest'] === 'string' ? made['terms_digest'] : '';
}
