import { randomUUID } from 'node:crypto';
import type { Dialect, Form, ReleaseName } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';

/** Items that exist before a cell runs: one buy at all sellers. */
export interface World {
  readonly mediaBuyId: string;
  /** The buy's package at each seller, by its buyer-visible id. */
  readonly packageAt: Readonly<Record<string, string>>;
  readonly taskId: string;
}

type RequestOf = (world: World) => JsonObject;
type Requests = Readonly<Record<Form, RequestOf>>;

const brand = { domain: 'brand.example', brand_id: 'main' };
const account = { brand: { domain: 'brand.example' }, operator: 'agency.example' };
const format = { agent_url: 'https://creative.example', id: 'display_300x250' };
const target = { type: 'platform', platform: 'dsp', account: 'seat_1' };
const agentTarget = { type: 'agent', agent_url: 'https://sales.example', account: 'seat_2' };
const context = { trace: 'trace-1' };
const ext = { vendor: { note: 'kept' } };
const range = { min: 100, max: 5000, currency: 'USD' };
const creative = {
  creative_id: 'cr_1',
  name: 'One',
  format_id: format,
  assets: { main: { asset_type: 'image', url: 'https://cdn.example/1.png', width: 300, height: 250 } },
};
const sellers = ['service', 'v25', 'v30', 'v31'];
const flight = { end_time: '2090-02-01T00:00:00Z' };
const period = { start: '2026-11-01T00:00:00Z', end: '2026-11-02T00:00:00Z' };

/** A new idempotency key, which 3.x requires of mutations. */
const key = () => ({ idempotency_key: randomUUID() });
const olderFilters = {
  delivery_type: 'guaranteed',
  is_fixed_price: true,
  format_types: ['display'],
  format_ids: [format],
  standard_formats_only: false,
  min_exposures: 1000,
  start_date: '2090-01-01',
  end_date: '2090-02-01',
  budget_range: range,
  countries: ['US'],
  channels: ['display'],
};
const { format_types: _types, ...modernFilters } = olderFilters;
const getProducts = {
  buying_mode: 'brief',
  brief: 'coffee drinkers',
  brand,
  account,
  preferred_delivery_types: ['guaranteed'],
  filters: { ...modernFilters, required_features: { inline_creative_management: true } },
  property_list: { agent_url: 'https://lists.example', list_id: 'list_1' },
  time_budget: { interval: 5, unit: 'seconds' },
  pagination: { max_results: 50 },
  required_policies: ['no_alcohol'],
  context,
  ext,
};
const audience = { signal_spec: 'coffee drinkers' };
const signalFilters = {
  filters: {
    catalog_types: ['marketplace'],
    data_providers: ['Data Inc'],
    max_cpm: 5,
    min_coverage_percentage: 10,
  },
  context,
  ext,
};
const packagesOf = (more: (seller: string) => JsonObject): JsonObject[] =>
  sellers.map((seller) => ({
    product_id: `${seller}:prod_1`,
    pricing_option_id: 'fixed',
    budget: 1000.5,
    ...more(seller),
  }));
const targeting = { geo_countries: ['US'] };
const modernBuy = () => ({
  ...key(),
  account,
  brand,
  start_time: '2090-01-01T00:00:00Z',
  ...flight,
  po_number: 'PO 7',
  packages: packagesOf((seller) => ({
    context: { buyer_ref: `part of ${seller}` },
    targeting_overlay: targeting,
    creatives: [creative],
  })),
  context,
  ext,
});
const olderBuy = (creatives: JsonObject) => ({
  buyer_ref: `campaign ${randomUUID()}`,
  brand_manifest: { url: 'https://brand.example', name: 'Brand' },
  ...flight,
  packages: packagesOf((seller) => ({
    buyer_ref: `part of ${seller}`,
    targeting_overlay: targeting,
    ...creatives,
  })),
  context,
});
const oneChange = (world: World, more: JsonObject): JsonObject => ({
  package_id: world.packageAt['v31'] ?? '',
  ...more,
});
const feedback = (world: World) => ({
  media_buy_id: world.mediaBuyId,
  measurement_period: period,
  performance_index: 1.2,
  metric_type: 'conversion_rate',
  feedback_source: 'third_party_measurement',
  context,
});
const creatives = (form: 'older' | 'modern', world: World): JsonObject => ({
  creatives: [creative],
  assignments:
    form === 'older'
      ? { cr_1: Object.values(world.packageAt) }
      : Object.values(world.packageAt).map((id) => ({ creative_id: 'cr_1', package_id: id })),
  context,
});
const usage = (world: World) => ({
  ...key(),
  reporting_period: period,
  usage: [
    {
      account,
      vendor_cost: 12.5,
      currency: 'USD',
      impressions: 1000,
      media_buy_id: world.mediaBuyId,
      signal_agent_segment_id: 'v31:seg_1',
    },
  ],
  context,
});
const accounts = (): JsonObject => ({
  ...key(),
  accounts: [{ brand: { domain: 'brand.example' }, operator: 'agency.example', billing: 'operator' }],
  context,
});
const same = (query: RequestOf): Requests => ({ service: query, '2.5': query, '3.0': query, '3.1': query });

/** Proposals of a seller with the other release, bought as a whole. The forms before 3.0 have none. */
export const proposalRequests: Readonly<Partial<Record<Form, RequestOf>>> = {
  '3.0': () => wholeOf('v31:plan_1'),
  '3.1': () => wholeOf('v30:plan_1'),
};

/** One complete request for each task and form, with every supported member of its schema. */
export const requests: Readonly<Record<string, Requests>> = {
  get_ads_capabilities: {
    ...same(() => ({ context })),
    '3.0': () => ({ protocols: ['media_buy'], context, ext }),
    '3.1': () => ({ protocols: ['media_buy', 'signals'], context, ext }),
  },
  get_products: {
    service: () => ({
      brief: 'coffee drinkers',
      brand_manifest: { url: 'https://brand.example', name: 'Brand' },
      filters: {
        channels: ['display'],
        budget: 5000,
        delivery_type: 'guaranteed',
        format_types: ['display'],
      },
      context,
    }),
    '2.5': () => ({
      brief: 'coffee drinkers',
      brand_manifest: 'https://brand.example',
      filters: olderFilters,
      context,
      ext,
    }),
    '3.0': () => getProducts,
    '3.1': () => ({ ...getProducts, filters: { ...getProducts.filters, pricing_currencies: ['USD'] } }),
  },
  list_creative_formats: {
    service: () => ({ format_types: ['display'], context }),
    '2.5': () => ({
      format_ids: [format],
      type: 'display',
      asset_types: ['image'],
      max_width: 300,
      max_height: 600,
      min_width: 100,
      min_height: 50,
      is_responsive: false,
      name_search: 'banner',
      context,
    }),
    '3.0': () => ({
      format_ids: [format],
      asset_types: ['image'],
      max_width: 300,
      max_height: 600,
      min_width: 100,
      min_height: 50,
      is_responsive: false,
      name_search: 'banner',
      pagination: { max_results: 50 },
      context,
      ext,
    }),
    '3.1': () => ({
      format_ids: [format],
      asset_types: ['image'],
      max_width: 300,
      max_height: 600,
      min_width: 100,
      min_height: 50,
      is_responsive: false,
      name_search: 'banner',
      publisher_domain: 'news.example',
      pagination: { max_results: 50 },
      context,
      ext,
    }),
  },
  get_signals: {
    ...same(() => ({
      ...audience,
      deliver_to: { deployments: [target, agentTarget], countries: ['US'] },
      max_results: 10,
      ...signalFilters,
    })),
    '3.0': () => ({
      ...audience,
      account,
      destinations: [target, agentTarget],
      countries: ['US'],
      max_results: 10,
      pagination: { max_results: 50 },
      ...signalFilters,
    }),
    '3.1': () => ({
      discovery_mode: 'brief',
      ...audience,
      account,
      destinations: [target, agentTarget],
      countries: ['US'],
      pagination: { max_results: 50 },
      ...signalFilters,
    }),
  },
  activate_signal: {
    ...same(() => ({ signal_agent_segment_id: 'v31:seg_1', deployments: [target, agentTarget], context })),
    '3.0': () => ({
      ...key(),
      account,
      signal_agent_segment_id: 'v31:seg_1',
      destinations: [target, agentTarget],
      pricing_option_id: 'p1',
      context,
      ext,
    }),
    '3.1': () => ({
      ...key(),
      account,
      action: 'activate',
      signal_agent_segment_id: 'v31:seg_1',
      destinations: [target, agentTarget],
      pricing_option_id: 'p1',
      context,
      ext,
    }),
  },
  create_media_buy: {
    service: () => ({
      ...olderBuy({ creatives: [creative] }),
      start_time: { type: 'scheduled', datetime: '2090-01-01T00:00:00Z' },
    }),
    '2.5': () => ({ ...olderBuy({ creatives: [creative] }), start_time: '2090-01-01T00:00:00Z' }),
    '3.0': modernBuy,
    '3.1': modernBuy,
  },
  update_media_buy: {
    service: (world) => ({
      media_buy_id: world.mediaBuyId,
      updates: { end_time: '2090-02-02T00:00:00Z', status: 'paused' },
      context,
    }),
    '2.5': (world) => ({
      media_buy_id: world.mediaBuyId,
      paused: true,
      end_time: '2090-02-02T00:00:00Z',
      packages: [oneChange(world, { budget: 1200, targeting_overlay: targeting })],
      context,
    }),
    '3.0': (world) => ({
      ...key(),
      account,
      media_buy_id: world.mediaBuyId,
      paused: true,
      end_time: '2090-02-02T00:00:00Z',
      packages: [oneChange(world, { budget: 1200, targeting_overlay: targeting })],
      context,
      ext,
    }),
    '3.1': (world) => ({
      ...key(),
      account,
      media_buy_id: world.mediaBuyId,
      paused: true,
      end_time: '2090-02-02T00:00:00Z',
      packages: [oneChange(world, { budget: 1200, targeting_overlay: targeting })],
      context,
      ext,
    }),
  },
  get_media_buys: {
    ...same((world) => ({ media_buy_ids: [world.mediaBuyId], include_webhook_activity: true, context })),
    '2.5': (world) => ({ media_buy_ids: [world.mediaBuyId], context }),
    '3.0': (world) => ({
      account,
      media_buy_ids: [world.mediaBuyId],
      status_filter: ['active', 'paused', 'pending_start', 'pending_creatives'],
      include_snapshot: true,
      pagination: { max_results: 50 },
      context,
      ext,
    }),
    '3.1': (world) => ({
      account,
      media_buy_ids: [world.mediaBuyId],
      status_filter: ['active', 'paused', 'pending_start', 'pending_creatives'],
      include_snapshot: true,
      include_webhook_activity: true,
      webhook_activity_limit: 10,
      pagination: { max_results: 50 },
      context,
      ext,
    }),
  },
  get_media_buy_delivery: {
    service: (world) => ({
      media_buy_ids: [world.mediaBuyId],
      start_date: '2026-11-01',
      end_date: '2026-11-03',
      time_granularity: 'daily',
      context,
    }),
    '2.5': (world) => ({
      media_buy_ids: [world.mediaBuyId],
      status_filter: ['active', 'paused', 'pending_activation'],
      start_date: '2026-11-01',
      end_date: '2026-11-03',
      context,
    }),
    '3.0': (world) => ({
      account,
      media_buy_ids: [world.mediaBuyId],
      status_filter: ['active', 'paused', 'pending_start', 'pending_creatives'],
      start_date: '2026-11-01',
      end_date: '2026-11-03',
      include_package_daily_breakdown: true,
      context,
      ext,
    }),
    '3.1': (world) => ({
      account,
      media_buy_ids: [world.mediaBuyId],
      status_filter: ['active', 'paused', 'pending_start', 'pending_creatives'],
      start_date: '2026-11-01',
      end_date: '2026-11-03',
      include_package_daily_breakdown: true,
      time_granularity: 'daily',
      include_window_breakdown: true,
      context,
      ext,
    }),
  },
  sync_creatives: {
    service: (world) => creatives('older', world),
    '2.5': (world) => ({ ...creatives('older', world), validation_mode: 'strict' }),
    '3.0': (world) => ({ ...key(), account, ...creatives('modern', world), ext }),
    '3.1': (world) => ({ ...key(), account, ...creatives('modern', world), ext }),
  },
  list_creatives: {
    service: () => ({ context }),
    '2.5': () => ({
      filters: { creative_ids: ['cr_1'] },
      sort: { field: 'name', direction: 'asc' },
      pagination: { limit: 10, offset: 0 },
      context,
    }),
    '3.0': () => ({
      filters: { creative_ids: ['cr_1'] },
      sort: { field: 'name', direction: 'asc' },
      pagination: { max_results: 10 },
      context,
      ext,
    }),
    '3.1': () => ({
      account,
      filters: { creative_ids: ['cr_1'] },
      sort: { field: 'name', direction: 'asc' },
      pagination: { max_results: 10 },
      context,
      ext,
    }),
  },
  get_task: same((world) => ({ task_id: world.taskId, context })),
  list_authorized_properties: {
    ...same(() => ({ context })),
    '2.5': () => ({ publisher_domains: ['news.example'], context }),
  },
  provide_performance_feedback: {
    ...same(feedback),
    '3.0': (world) => ({ ...key(), ...feedback(world) }),
    '3.1': (world) => ({ ...key(), ...feedback(world) }),
  },
  list_accounts: {
    ...same(() => ({ context })),
    '3.0': () => ({ status: 'active', pagination: { max_results: 10 }, context, ext }),
    '3.1': () => ({ status: 'active', pagination: { max_results: 10 }, context, ext }),
  },
  sync_accounts: same(accounts),
  report_usage: same(usage),
  list_tasks: {
    service: () => ({ pagination: { limit: 4, offset: 0 }, context }),
    '2.5': () => ({ filters: { statuses: ['completed'] }, pagination: { limit: 4, offset: 0 }, context }),
    '3.0': () => ({ filters: { statuses: ['completed'] }, pagination: { max_results: 4 }, context }),
    '3.1': () => ({ filters: { statuses: ['completed'] }, pagination: { max_results: 4 }, context }),
  },
  cancel_task: same((world) => ({ task_id: world.taskId, context })),
};

/** Adds the version fields of this form or release, if it has any. */
export function versioned(form: Form | ReleaseName, dialect: Dialect, args: JsonObject): JsonObject {
  if (form === '3.0') return { [`${dialect}_major_version`]: 3, ...args };
  if (form === 'service' || form === '2.5') return args;
  return { [`${dialect}_version`]: form, [`${dialect}_major_version`]: 3, ...args };
}

function wholeOf(proposal: string): JsonObject {
  const { packages: _none, ...buy } = modernBuy();
  return {
    ...buy,
    proposal_id: proposal,
    total_budget: { amount: 4000.5, currency: 'USD' },
    io_acceptance: { io_id: 'io_1', accepted_at: '2026-11-01T00:00:00Z', signatory: 'Ann' },
  };
}
