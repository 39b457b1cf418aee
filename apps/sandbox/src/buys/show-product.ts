import type { Agent, Caller } from '../agent/agent.js';
import type { CatalogueProduct, Pricing } from './catalogue.js';
import { formatId } from '../creatives/formats.js';
import { compact, type JsonObject } from '../json.js';
import { amountOf } from '../micros.js';

/** A product in the agent's form; without prices for callers without credentials. */
export function showProduct(agent: Agent, product: CatalogueProduct, caller: Caller): JsonObject {
  const priced = caller === 'known';
  const shared: JsonObject = {
    product_id: product.productId,
    name: product.name,
    description: product.description,
    format_ids: product.formatIds.map(formatId),
  };
  if (agent.personality.form === 'service') {
    return {
      ...shared,
      pricing_options: priced ? product.pricing.map(servicePricing) : [],
      targeting: { geo_countries: ['US', 'GB', 'DE'] },
      reporting_capabilities: reportingOf(agent),
    };
  }
  return {
    ...shared,
    publisher_properties: [{ publisher_domain: product.publisherDomain, selection_type: 'all' }],
    channels: [product.channel],
    delivery_type: product.guaranteed ? 'guaranteed' : 'non_guaranteed',
    is_custom: product.custom,
    pricing_options: product.pricing.map((option) =>
      releasePricing(option, agent.personality.currency, priced),
    ),
    reporting_capabilities: reportingOf(agent),
    delivery_measurement: { provider: agent.personality.name },
  };
}

function reportingOf(agent: Agent): JsonObject {
  return {
    available_reporting_frequencies: ['daily'],
    expected_delay_minutes: 0,
    timezone: 'UTC',
    supports_webhooks: true,
    available_metrics: ['impressions', 'spend', 'clicks'],
    date_range_support: 'date_range',
    ...(agent.personality.form === '3.1' ? { windowed_pull_granularities: ['daily'] } : {}),
  };
}

function servicePricing({ id, model, priceMicros }: Pricing): JsonObject {
  const amount = amountOf(priceMicros);
  return compact({
    pricing_option_id: id,
    pricing_model: model,
    price: model === 'cpm' ? amount : undefined,
    floor: model === 'cpm-auction' ? amount : undefined,
  });
}

function releasePricing(
  { id, model, priceMicros, minSpendMicros }: Pricing,
  currency: string,
  priced: boolean,
): JsonObject {
  const amount = amountOf(priceMicros);
  return compact({
    pricing_option_id: id,
    pricing_model: 'cpm',
    currency,
    fixed_price: priced && model === 'cpm' ? amount : undefined,
    floor_price: priced && model === 'cpm-auction' ? amount : undefined,
    min_spend_per_package: priced ? amountOf(minSpendMicros) : undefined,
  });
}
