import type { Form } from '@switchyard/protocol';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { Script } from './recording-seller.js';
import type { RecordingSeller } from './recording-seller.js';

const modern = (form: Form): boolean => form === '3.0' || form === '3.1';
const formatId = { agent_url: 'https://creative.example', id: 'display_300x250' };
const properties = [{ publisher_domain: 'news.example', selection_type: 'by_id', property_ids: ['home'] }];
const reporting = {
  available_reporting_frequencies: ['daily'],
  expected_delay_minutes: 240,
  timezone: 'UTC',
  supports_webhooks: true,
  available_metrics: ['impressions', 'spend', 'clicks'],
  date_range_support: 'date_range',
};
const prices: Readonly<Record<Form, readonly JsonObject[]>> = {
  service: [
    { pricing_option_id: 'fixed', pricing_model: 'cpm', price: 12.5 },
    { pricing_option_id: 'auction', pricing_model: 'cpm-auction', floor: 3 },
    { pricing_option_id: 'flat', pricing_model: 'flat-fee', price: 1000 },
  ],
  '2.5': [
    { pricing_option_id: 'fixed', pricing_model: 'cpm', currency: 'USD', rate: 12.5, is_fixed: true },
    {
      pricing_option_id: 'auction',
      pricing_model: 'cpm',
      currency: 'USD',
      is_fixed: false,
      price_guidance: { floor: 3, p50: 4 },
    },
  ],
  '3.0': [
    { pricing_option_id: 'fixed', pricing_model: 'cpm', currency: 'USD', fixed_price: 12.5 },
    { pricing_option_id: 'auction', pricing_model: 'cpm', currency: 'USD', floor_price: 3 },
  ],
  '3.1': [
    {
      pricing_option_id: 'fixed',
      pricing_model: 'cpm',
      currency: 'USD',
      fixed_price: 12.5,
      min_spend_per_package: 100,
    },
    { pricing_option_id: 'flat', pricing_model: 'flat_rate', currency: 'USD', fixed_price: 1000 },
  ],
};

let buysMade = 0;

/** The answers of the stage's sellers: a complete answer to each task in their own form. */
export const answers: Script = (seller, tool, args) => {
  const { form } = seller;
  switch (tool) {
    case 'get_ads_capabilities':
    case 'get_adcp_capabilities':
      return form === '2.5' ? undefined : capabilities(seller);
    case 'get_products':
      return isFinalizing(args) ? committedPlan(form) : productsFrom(form);
    case 'get_signals':
      return signalsFrom(form);
    case 'activate_signal':
      return activated(form, args);
    case 'list_creative_formats':
      return { formats: [format(form)] };
    case 'create_media_buy':
      return madeBuy(form, args);
    case 'update_media_buy':
      return updated(form, args);
    case 'get_media_buys':
      return buyView(form, args);
    case 'get_media_buy_delivery':
      return delivery(form, args);
    case 'sync_creatives':
      return synced(form, args);
    case 'list_authorized_properties':
      return { publisher_domains: ['news.example'] };
    case 'tasks/cancel':
      return { task_id: args['task_id'] ?? '', status: 'canceled' };
    case 'provide_performance_feedback':
      return { success: true };
    case 'report_usage':
      return { accepted: list(args['usage']).length };
    default:
      return undefined;
  }
};

function capabilities(seller: RecordingSeller): JsonObject {
  const member = seller.dialect === 'ads' ? 'ads' : 'adcp';
  return {
    [member]: {
      major_versions: [3],
      ...(seller.form === '3.1' ? { supported_versions: ['3.1'] } : {}),
      idempotency: { supported: true, replay_ttl_seconds: 86_400 },
    },
    supported_protocols: ['media_buy', 'signals'],
    account: { supported_billing: ['operator'] },
    media_buy: {
      features: { inline_creative_management: true },
      portfolio: { publisher_domains: ['news.example'] },
      supported_pricing_models: ['cpm'],
    },
    request_signing: { supported: false },
    webhook_signing: {
      supported: true,
      profile: `${member}/webhook-signing/v1`,
      algorithms: ['ed25519'],
      legacy_hmac_fallback: false,
    },
  };
}

function isFinalizing(args: JsonObject): boolean {
  return list(args['refine']).some((change) => isJsonObject(change) && change['action'] === 'finalize');
}

/** The plan that a buyer may hold a seller to. */
function committedPlan(form: Form): JsonObject {
  const answer = productsFrom(form);
  const plans = list(answer['proposals']).filter(isJsonObject);
  return {
    ...answer,
    proposals: plans.map((plan) => ({
      ...plan,
      proposal_status: 'committed',
      expires_at: '2090-03-01T00:00:00Z',
    })),
    refinement_applied: [{ scope: 'proposal', proposal_id: 'plan_1', status: 'applied' }],
  };
}

function productsFrom(form: Form): JsonObject {
  const products = [product(form)];
  if (!modern(form)) return { products };
  return {
    products,
    proposals: [
      {
        proposal_id: 'plan_1',
        name: 'All of it',
        allocations: [{ product_id: 'prod_1', pricing_option_id: 'fixed', allocation_percentage: 100 }],
      },
    ],
    incomplete: [{ scope: 'forecast', description: 'Forecasts take longer.' }],
    ...(form === '3.1' ? { cache_scope: 'account' } : {}),
  };
}

function product(form: Form): JsonObject {
  const common = {
    product_id: 'prod_1',
    name: 'Homepage',
    description: 'Top of the page',
    format_ids: [formatId],
    pricing_options: [...prices[form]],
  };
  if (form === 'service') return { ...common, targeting: { geo: true } };
  const schema = { ...common, delivery_type: 'guaranteed', publisher_properties: properties };
  if (form === '2.5') return { ...schema, delivery_measurement: { provider: 'seller' } };
  const declared =
    form === '3.1' ? { ...reporting, windowed_pull_granularities: ['daily', 'hourly'] } : reporting;
  return {
    ...schema,
    channels: ['display'],
    reporting_capabilities: declared,
    brief_relevance: 'Coffee is drunk in the morning.',
    expires_at: '2090-03-01T00:00:00Z',
  };
}

function signalsFrom(form: Form): JsonObject {
  const live = {
    type: 'platform',
    platform: 'dsp',
    account: 'seat_1',
    is_live: true,
    activation_key: { type: 'segment_id', segment_id: 'live_1' },
    deployed_at: '2026-11-01T00:00:00Z',
  };
  const waiting = {
    type: 'agent',
    agent_url: 'https://sales.example',
    account: 'seat_2',
    is_live: false,
    estimated_activation_duration_minutes: 60,
  };
  const common = {
    signal_agent_segment_id: 'seg_1',
    name: 'Coffee drinkers',
    description: 'Drink coffee',
    data_provider: 'Data Inc',
    coverage_percentage: 12,
    signal_type: 'marketplace',
    deployments: [live, waiting],
  };
  const priced = modern(form)
    ? {
        signal_id: { source: 'agent', agent_url: 'https://signals.example', id: 'seg_1' },
        pricing_options: [{ pricing_option_id: 'p1', model: 'cpm', cpm: 2.5, currency: 'USD' }],
      }
    : { pricing: { cpm: 2.5, currency: 'USD' } };
  return { signals: [{ ...common, ...priced }], ...(form === '3.1' ? { cache_scope: 'account' } : {}) };
}

function activated(form: Form, args: JsonObject): JsonObject {
  const requested = list(args['destinations'] ?? args['deployments']);
  return {
    deployments: requested.map((target, at) =>
      at === 0
        ? {
            ...target,
            ...(form === 'service' ? {} : { is_live: true }),
            activation_key: { type: 'key_value', key: 'audience', value: 'seg_1' },
            deployed_at: '2026-11-01T00:00:00Z',
          }
        : {
            ...target,
            ...(form === 'service' ? {} : { is_live: false }),
            estimated_activation_duration_minutes: 30,
          },
    ),
  };
}

function format(form: Form): JsonObject {
  return {
    format_id: formatId,
    name: 'Banner',
    description: 'A banner',
    ...(form === '2.5' || form === 'service' ? { type: 'display' } : {}),
    ...(form === '2.5'
      ? { assets_required: [{ item_type: 'individual', asset_id: 'main', asset_type: 'image' }] }
      : {}),
    ...(form === 'service' ? { dimensions: '300x250' } : {}),
    renders: [{ role: 'primary', dimensions: { width: 300, height: 250 } }],
  };
}

function madeBuy(form: Form, args: JsonObject): JsonObject {
  buysMade += 1;
  const requested = 'proposal_id' in args ? [wholePlan(args)] : list(args['packages']);
  const packages = requested.map((item, at) => ({
    package_id: `pkg_${at + 1}`,
    ...pick(item, ['buyer_ref', 'product_id', 'pricing_option_id', 'budget', 'context']),
  }));
  const common = { media_buy_id: `their_buy_${buysMade}`, packages, ...pick(args, ['context']) };
  if (form === 'service') return { ...common, ...pick(args, ['buyer_ref']), status: 'active' };
  if (form === '2.5') return { ...common, ...pick(args, ['buyer_ref']) };
  if (form === '3.0') return { ...common, status: 'active' };
  return {
    ...common,
    status: 'completed',
    media_buy_status: 'active',
    confirmed_at: '2026-11-01T00:00:00Z',
    revision: 1,
  };
}

/** Allocates the total to the only product of the plan. */
function wholePlan({ total_budget: total }: JsonObject): JsonObject {
  const budget = isJsonObject(total) ? (total['amount'] ?? 0) : 0;
  return { product_id: 'prod_1', pricing_option_id: 'fixed', budget };
}

function updated(form: Form, args: JsonObject): JsonObject {
  const affected = [{ package_id: 'pkg_1' }];
  const id = args['media_buy_id'] ?? '';
  if (form === 'service') return { media_buy_id: id, status: 'paused' };
  const common = { media_buy_id: id, affected_packages: affected, ...pick(args, ['context']) };
  if (form === '2.5') return { ...common, buyer_ref: 'ours', implementation_date: null };
  if (form === '3.0') return { ...common, status: 'paused' };
  return { ...common, status: 'completed', media_buy_status: 'paused', revision: 2 };
}

function buyView(form: Form, args: JsonObject): JsonObject {
  const item = {
    package_id: 'pkg_1',
    product_id: 'prod_1',
    budget: 1000.5,
    ...(modern(form) ? { paused: false } : {}),
  };
  return {
    media_buys: requestedIds(args).map((id) => ({
      media_buy_id: id,
      status: 'active',
      currency: 'USD',
      total_budget: 1000.5,
      packages: [item],
      ...(form === '3.1' ? { confirmed_at: '2026-11-01T00:00:00Z', revision: 1 } : {}),
    })),
  };
}

function delivery(form: Form, args: JsonObject): JsonObject {
  const totals = { impressions: 1000, spend: 12.5, clicks: 10 };
  const day = { date: '2026-11-01', impressions: 1000, spend: 12.5 };
  const row = {
    package_id: 'pkg_1',
    ...totals,
    ...(form === 'service' ? {} : { pricing_model: 'cpm', rate: 12.5, currency: 'USD' }),
  };
  const period = { start: '2026-11-01T00:00:00Z', end: '2026-11-03T00:00:00Z' };
  if (form === 'service') {
    const timeseries = [{ date: '2026-11-01', impressions: 1000, spend: 12.5 }];
    return { delivery: totals, by_package: [row], timeseries };
  }
  const more = {
    totals: {
      ...totals,
      ...(form === '2.5' ? {} : { reach: 400, reach_unit: 'individuals', frequency: 2.5 }),
    },
    by_package: [row],
    daily_breakdown: [day],
  };
  const windows =
    form === '3.1'
      ? {
          windows: [{ window_start: '2026-11-01T00:00:00Z', window_end: '2026-11-02T00:00:00Z', totals }],
        }
      : {};
  return {
    reporting_period: period,
    currency: 'USD',
    media_buy_deliveries: requestedIds(args).map((id) => ({
      media_buy_id: id,
      status: 'active',
      ...more,
      ...windows,
    })),
  };
}

function synced(form: Form, args: JsonObject): JsonObject {
  return {
    creatives: list(args['creatives']).map((item) => ({
      creative_id: item['creative_id'] ?? '',
      action: 'created',
      ...(form === '3.1' ? { status: 'approved' } : {}),
    })),
  };
}

/** Returns the tools that a seller of this form lists. */
export function toolsOf({ form, dialect }: RecordingSeller): readonly string[] {
  const all = [
    'get_products',
    'get_signals',
    'activate_signal',
    'list_creative_formats',
    'create_media_buy',
    'update_media_buy',
    'get_media_buy_delivery',
    'sync_creatives',
    'provide_performance_feedback',
    'tasks/cancel',
  ];
  if (form === '2.5') return [...all, 'list_authorized_properties'];
  const own = dialect === 'ads' ? 'get_ads_capabilities' : 'get_adcp_capabilities';
  return [
    ...all,
    own,
    'get_media_buys',
    ...(modern(form) ? ['report_usage'] : ['list_authorized_properties']),
  ];
}

function requestedIds(args: JsonObject): string[] {
  const ids = args['media_buy_ids'];
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
}

function list(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function pick(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)));
}
