import type { Json } from '../sdk/load-sdk-server.js';

const reporting = {
  available_reporting_frequencies: ['daily'],
  expected_delay_minutes: 0,
  timezone: 'UTC',
  supports_webhooks: true,
  available_metrics: ['impressions', 'spend', 'clicks'],
  date_range_support: 'date_range',
};

/** Two products with fixed prices, in the public protocol's members. */
export function productsOf(slug: string): readonly Json[] {
  const product = (id: string, name: string, price: number): Json => ({
    product_id: id,
    name: `${name} of ${slug}`,
    description: `${name}, sold by ${slug}.`,
    publisher_properties: [{ publisher_domain: `${slug}.example`, selection_type: 'all' }],
    format_ids: [{ agent_url: 'https://creatives.example', id: 'video_30s' }],
    delivery_type: 'non_guaranteed',
    pricing_options: [
      { pricing_option_id: `${id}_cpm`, pricing_model: 'cpm', currency: 'USD', fixed_price: price },
    ],
    reporting_capabilities: reporting,
  });
  return [product('front_page', 'Front page video', 12.5), product('sports', 'Sports video', 20)];
}

export const signals: readonly Json[] = [
  ['commuters', 'Bicycle commuters', 3],
  ['tourers', 'Touring cyclists', 4.25],
].map(([id, name, cpm]) => ({
  signal_agent_segment_id: id,
  signal_id: { source: 'catalog', data_provider_domain: 'insights.example', id },
  name,
  description: `${String(name)}, from rental records.`,
  value_type: 'binary',
  signal_type: 'marketplace',
  data_provider: 'Insights',
  coverage_percentage: 12,
  deployments: [],
  pricing_options: [{ pricing_option_id: `${String(id)}_cpm`, model: 'cpm', currency: 'USD', cpm }],
}));
