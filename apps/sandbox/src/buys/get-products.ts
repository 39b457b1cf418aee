import type { Agent, Caller } from '../agent/agent.js';
import { matching, type CatalogueProduct, type Pricing } from './catalogue.js';
import { compact, objectOf, textOf, textsOf, type JsonObject } from '../json.js';
import { done, refuse, type Outcome } from '../agent/outcome.js';
import { propose, showProposal } from './propose.js';
import { refineProducts } from './refine-products.js';
import { formatId } from '../creatives/formats.js';
import { amountOf } from '../micros.js';

/** The products that fit the brief. Anybody sees the standard ones, without prices. */
export function getProducts(agent: Agent, args: JsonObject, caller: Caller): Outcome {
  const brief = textOf(args['brief']);
  const mode = textOf(args['buying_mode']);
  if (agent.personality.form !== 'service') {
    if (mode !== 'brief' && mode !== 'wholesale' && mode !== 'refine') {
      return refuse('INVALID_REQUEST', 'buying_mode is brief, wholesale or refine', 'buying_mode');
    }
    if (mode === 'brief' && brief === undefined)
      return refuse('INVALID_REQUEST', 'a brief is required', 'brief');
    if (mode !== 'brief' && brief !== undefined) {
      return refuse('INVALID_REQUEST', `${mode} takes no brief`, 'brief');
    }
  }
  const filters = objectOf(args['filters']) ?? {};
  const offered = agent.products.filter(
    (product) => (caller === 'known' || !product.custom) && passes(product, filters),
  );
  const refined = mode === 'refine' && caller === 'known' ? refineProducts(agent, args) : undefined;
  if (refined !== undefined && 'errors' in refined) return { status: 'failed', errors: refined.errors };
  const fitting = matching(offered, brief).filter(
    ({ productId }) => refined?.omitted.includes(productId) !== true,
  );
  const plan = mode === 'brief' && caller === 'known' ? propose(agent, fitting) : undefined;
  const proposals = plan === undefined ? (refined?.proposals ?? []) : [showProposal(agent, plan)];
  const body = compact({
    products: fitting.map((product) => showProduct(agent, product, caller)),
    proposals: proposals.length === 0 ? undefined : [...proposals],
    refinement_applied: refined === undefined ? undefined : [...refined.verdicts],
    cache_scope: agent.personality.form !== '3.1' ? undefined : caller === 'known' ? 'account' : 'public',
  });
  return done(body, refined?.entry);
}

function passes(product: CatalogueProduct, filters: JsonObject): boolean {
  const channels = textsOf(filters['channels']);
  if (channels && !channels.includes(product.channel)) return false;
  const delivery = textOf(filters['delivery_type']);
  if (delivery !== undefined && (delivery === 'guaranteed') !== product.guaranteed) return false;
  const types = textsOf(filters['format_types']);
  return !types || types.some((type) => product.formatIds.some((id) => id.startsWith(type)));
}

/** A product in the agent's form; without prices for callers without credentials. */
function showProduct(agent: Agent, product: CatalogueProduct, caller: Caller): JsonObject {
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
