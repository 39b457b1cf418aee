import type { Json } from '../harness/buy-request.js';

/** Its tasks. */
export const tools = [
  'get_adcp_capabilities',
  'get_products',
  'create_media_buy',
  'get_media_buys',
  'get_media_buy_delivery',
  'get_task_status',
];

/** Its capabilities. They do not mention signed webhooks: a seller that declares unsigned ones needs a legacy mode. */
export const capabilities: Json = {
  adcp: {
    major_versions: [3],
    supported_versions: ['3.1'],
    idempotency: { supported: true, replay_ttl_seconds: 86_400 },
  },
  supported_protocols: ['media_buy'],
  media_buy: { buying_modes: ['brief', 'wholesale'], reporting_delivery_methods: ['webhook', 'polling'] },
  request_signing: { supported: false },
};

export const product: Json = {
  product_id: 'plain_1',
  name: 'Product of the test',
  description: 'It runs today.',
  publisher_properties: [{ publisher_domain: 'plain.example', selection_type: 'all' }],
  format_ids: [{ agent_url: 'https://creative.example/', id: 'display_300x250' }],
  delivery_type: 'non_guaranteed',
  pricing_options: [{ pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'USD', fixed_price: 5 }],
  delivery_measurement: { provider: 'plain' },
  reporting_capabilities: {
    available_reporting_frequencies: ['daily'],
    expected_delay_minutes: 0,
    timezone: 'UTC',
    supports_webhooks: true,
    available_metrics: ['impressions', 'spend'],
  },
};
