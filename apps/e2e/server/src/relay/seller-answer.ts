import { list, type Json } from '../harness/buy-request.js';
import type { SellerOptions } from './seller-options.js';

const format = { agent_url: 'https://formats.example', id: 'display_300x250' };

/** Returns the default answer of a seller: success at once. */
export function sellerAnswer(tool: string, args: Json, options: SellerOptions): Json {
  const answer = answers[tool];
  if (answer === undefined) return { errors: [{ code: 'UNSUPPORTED_FEATURE', message: 'Not here.' }] };
  return answer(args, options);
}

const answers: Readonly<Record<string, (args: Json, options: SellerOptions) => Json>> = {
  get_adcp_capabilities: (_args, { signsWebhooks = true }) => ({
    adcp: {
      major_versions: [3],
      supported_versions: ['3.1'],
      idempotency: { supported: true, replay_ttl_seconds: 86_400 },
    },
    supported_protocols: ['media_buy', 'signals'],
    media_buy: { buying_modes: ['brief', 'wholesale'], reporting_delivery_methods: ['webhook'] },
    request_signing: { supported: false },
    ...(signsWebhooks ? { webhook_signing: { supported: true } } : {}),
  }),
  get_products: () => ({
    products: [
      {
        product_id: 'p1',
        name: 'A page',
        description: 'One page',
        delivery_type: 'non_guaranteed',
        delivery_measurement: { provider: 'own' },
        publisher_properties: [{ publisher_domain: 'paper.example', selection_type: 'all' }],
        format_ids: [format],
        pricing_options: [
          { pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'USD', fixed_price: 10 },
        ],
        reporting_capabilities: {
          available_reporting_frequencies: ['daily'],
          expected_delay_minutes: 60,
          timezone: 'UTC',
          supports_webhooks: true,
          available_metrics: ['impressions', 'spend'],
          date_range_support: 'date_range',
        },
      },
    ],
  }),
  create_media_buy: (args) => madeBuy('sb_1', args),
  update_media_buy: (args) => ({
    media_buy_id: args['media_buy_id'],
    media_buy_status: args['paused'] === true ? 'paused' : 'active',
    revision: 2,
    affected_packages: [],
  }),
  get_media_buys: () => ({ media_buys: [] }),
  get_media_buy_delivery: () => ({
    reporting_period: { start: '2026-01-01T00:00:00Z', end: '2026-01-02T00:00:00Z' },
    currency: 'USD',
    media_buy_deliveries: [],
  }),
  sync_creatives: (args) => ({
    creatives: list(args['creatives']).map((creative) => ({
      creative_id: creative['creative_id'],
      action: 'created',
      status: 'approved',
    })),
  }),
  list_creative_formats: () => ({ formats: [{ format_id: format, name: 'A rectangle', type: 'display' }] }),
  list_creatives: () => ({ creatives: [] }),
  get_signals: () => ({ signals: [] }),
  activate_signal: (args) => ({
    deployments: list(args['destinations']).map((destination) => ({
      ...destination,
      is_live: true,
      activation_key: { type: 'segment_id', segment_id: 'live-segment-1' },
      deployed_at: new Date().toISOString(),
    })),
  }),
};

/** Returns a buy as its seller confirms it. */
export function madeBuy(id: string, args: Json): Json {
  return {
    media_buy_id: id,
    media_buy_status: 'active',
    confirmed_at: new Date().toISOString(),
    revision: 1,
    packages: list(args['packages']).map((item, at) => ({
      package_id: `${id}-p${String(at + 1)}`,
      product_id: item['product_id'],
      pricing_option_id: item['pricing_option_id'],
      budget: item['budget'],
      paused: false,
    })),
  };
}

/** Returns a create request for the seller's only product in release 3.1, as a brand writes it for that seller. */
export function sealedBuy(more: Json = {}): Json {
  return {
    adcp_version: '3.1',
    idempotency_key: crypto.randomUUID(),
    account: { brand: { domain: 'bikes.example' }, operator: 'agency.example' },
    brand: { domain: 'bikes.example' },
    start_time: 'asap',
    end_time: new Date(Date.now() + 30 * 86_400_000).toISOString(),
    packages: [{ product_id: 'p1', pricing_option_id: 'cpm', budget: 1000 }],
    ...more,
  };
}

export const creativeFormat = format;
