import { objectsIn, textIn, unitsOf, type Json } from './json.js';

/** A product of the seller as one of the protocol. What the seller does not say is said as such, and nothing is invented. */
export function productOf(product: Json): Json {
  const [rate = {}] = objectsIn([product['rate']]);
  return {
    product_id: textIn(product, 'adProductId') ?? '',
    name: textIn(product, 'displayName') ?? '',
    description: textIn(product, 'description') ?? '',
    publisher_properties: [{ publisher_domain: textIn(product, 'site') ?? '', selection_type: 'all' }],
    channels: [textIn(product, 'channel') ?? 'display'],
    format_ids: [
      { agent_url: 'https://creative.adcontextprotocol.org', id: textIn(product, 'format') ?? 'display' },
    ],
    delivery_type: 'non_guaranteed',
    delivery_measurement: { provider: 'The ad server of the seller' },
    pricing_options: [
      {
        pricing_option_id: `cpm-${(textIn(rate, 'currencyCode') ?? 'usd').toLowerCase()}`,
        pricing_model: 'cpm',
        currency: textIn(rate, 'currencyCode') ?? 'USD',
        fixed_price: unitsOf(rate['costPerUnitMicros']),
      },
    ],
    reporting_capabilities: {
      available_reporting_frequencies: ['daily'],
      expected_delay_minutes: 240,
      timezone: 'UTC',
      supports_webhooks: false,
      available_metrics: ['impressions', 'spend'],
      date_range_support: 'date_range',
    },
  };
}
