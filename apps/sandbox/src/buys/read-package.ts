import { randomUUID } from 'node:crypto';
import type { Agent } from '../agent/agent.js';
import type { BuyPackage } from './buy.js';
import type { CatalogueProduct, Pricing } from './catalogue.js';
import { counteredTerms } from './counter-terms.js';
import { isObject, objectOf, textOf, type Json, type JsonObject, listOf } from '../json.js';
import { amountOf, microsOf } from '../micros.js';
import { refusal, type Refusal } from '../agent/outcome.js';
import { draw } from '../seeded.js';
import { creativeAgentUrl, productTakes } from '../creatives/formats.js';
import { provenanceFault } from '../creatives/provenance.js';

/** One package of a request, checked against the catalogue: what is sold and at what price. */
export function readPackage(
  agent: Agent,
  value: Json,
  index: number,
): BuyPackage | { readonly errors: readonly Refusal[] } {
  const at = `packages[${String(index)}]`;
  if (!isObject(value)) return { errors: [refusal('INVALID_REQUEST', 'a package is an object', at)] };
  const budget = microsOf(value['budget']);
  if (budget === undefined || budget === 0n)
    return { errors: [refusal('INVALID_REQUEST', 'budget must be a positive amount', `${at}.budget`)] };
  const product = agent.products.find(({ productId }) => productId === value['product_id']);
  if (!product) {
    const advice = 'Ask get_products again and use one of its product_id values.';
    return { errors: [refusal('PRODUCT_NOT_FOUND', 'no such product', `${at}.product_id`, advice)] };
  }
  const option = product.pricing.find(({ id }) => id === value['pricing_option_id']);
  if (!option) {
    const advice = `Use ${product.pricing.map(({ id }) => id).join(' or ')}.`;
    const field = `${at}.pricing_option_id`;
    return { errors: [refusal('INVALID_REQUEST', 'the product has no such pricing option', field, advice)] };
  }
  const service = agent.personality.form === 'service';
  if (service && textOf(value['buyer_ref']) === undefined) {
    return { errors: [refusal('INVALID_REQUEST', 'buyer_ref is required', `${at}.buyer_ref`)] };
  }
  const money = readMoney(agent, value, budget, { at, product, option, index });
  if ('errors' in money) return money;
  const creatives = readCreatives(agent, value, at, product);
  if ('errors' in creatives) return creatives;
  const terms = refusedTerms(value, at);
  if (terms !== undefined) return { errors: [terms] };
  const read = made(value, { product, option, money, creativeIds: creatives.ids });
  return agent.personality.haggles ? { ...read, terms: counteredTerms(value) } : read;
}

/** Two counts never agree to the last impression, so a promise of that is refused. */
function refusedTerms(value: JsonObject, at: string): Refusal | undefined {
  const measured = objectOf(objectOf(value['measurement_terms'])?.['billing_measurement']);
  const variance = measured?.['max_variance_percent'];
  if (typeof variance !== 'number' || variance >= 1) return undefined;
  const field = `${at}.measurement_terms.billing_measurement.max_variance_percent`;
  return refusal('TERMS_REJECTED', 'counts may differ by at least 1 per cent', field, 'Allow 1 or more.');
}

interface Money {
  readonly budget: bigint;
  readonly price: bigint;
  readonly bid?: bigint;
}

function readMoney(
  agent: Agent,
  value: JsonObject,
  budget: bigint,
  {
    at,
    product,
    option,
    index,
  }: {
    readonly at: string;
    readonly product: CatalogueProduct;
    readonly option: Pricing;
    readonly index: number;
  },
): Money | { readonly errors: readonly Refusal[] } {
  if (budget < option.minSpendMicros) {
    const advice = `Spend at least ${String(amountOf(option.minSpendMicros))} on this package.`;
    return {
      errors: [refusal('BUDGET_TOO_LOW', 'below the minimum of this option', `${at}.budget`, advice)],
    };
  }
  if (option.model === 'cpm') return { budget, price: option.priceMicros };
  const bid = microsOf(value['bid_price']);
  if (bid === undefined) {
    return { errors: [refusal('INVALID_REQUEST', 'an auction wants a bid_price', `${at}.bid_price`)] };
  }
  if (bid < option.priceMicros) {
    const advice = `Bid at least ${String(amountOf(option.priceMicros))}.`;
    return { errors: [refusal('INVALID_REQUEST', 'the bid is below the floor', `${at}.bid_price`, advice)] };
  }
  // The clearing price: between floor and bid, in thousandths of the unit, so that one impression has a whole price.
  const chance = draw(agent.seed, agent.personality.slug, product.productId, index, 'cleared');
  const room = Number((bid - option.priceMicros) / 1000n);
  return { budget, bid, price: option.priceMicros + BigInt(Math.floor(room * chance)) * 1000n };
}

function made(
  value: JsonObject,
  {
    product,
    option,
    money,
    creativeIds,
  }: {
    readonly product: CatalogueProduct;
    readonly option: Pricing;
    readonly money: Money;
    readonly creativeIds: readonly string[];
  },
): BuyPackage {
  const buyerRef = textOf(value['buyer_ref']);
  const [context, targeting] = [objectOf(value['context']), objectOf(value['targeting_overlay'])];
  return {
    packageId: `pkg_${randomUUID().slice(0, 13)}`,
    ...(buyerRef === undefined ? {} : { buyerRef }),
    productId: product.productId,
    pricingOptionId: option.id,
    pricingModel: option.model,
    budgetMicros: money.budget.toString(),
    priceMicros: money.price.toString(),
    ...(money.bid === undefined ? {} : { bidMicros: money.bid.toString() }),
    creativeIds,
    ...(targeting ? { targeting } : {}),
    ...(context ? { context } : {}),
    days: [],
  };
}

type Read = { readonly ids: readonly string[] } | { readonly errors: readonly Refusal[] };

/**
 * The creatives of a package. The `service` form needs exactly one of ids and inline creatives; a 3.x package may have
 * none, and its buy then waits for them. An id is accepted unchecked: its library is not part of this market.
 */
function readCreatives(agent: Agent, value: JsonObject, at: string, product: CatalogueProduct): Read {
  const inline = listOf(value['creatives']);
  const service = agent.personality.form === 'service';
  const idsField = service ? 'creative_ids' : 'creative_assignments';
  const ids = listOf(value[idsField]);
  if (service && (ids === undefined) === (inline === undefined)) {
    const message = 'exactly one of creative_ids and creatives is required';
    return { errors: [refusal('INVALID_REQUEST', message, `${at}.creative_ids`)] };
  }
  const assigned = (ids ?? []).map((item) => (isObject(item) ? textOf(item['creative_id']) : textOf(item)));
  if (assigned.includes(undefined)) {
    return { errors: [refusal('INVALID_REQUEST', 'a creative needs an id', `${at}.${idsField}`)] };
  }
  const found = assigned.filter((id): id is string => id !== undefined);
  for (const [index, creative] of (inline ?? []).entries()) {
    const read = readCreative(agent, creative, `${at}.creatives[${String(index)}]`, product);
    if (typeof read !== 'string') return read;
    found.push(read);
  }
  if (service && found.length === 0) {
    return { errors: [refusal('INVALID_REQUEST', 'a package needs a creative', `${at}.creatives`)] };
  }
  return { ids: found };
}

function readCreative(
  agent: Agent,
  creative: Json,
  at: string,
  product: CatalogueProduct,
): string | { readonly errors: readonly Refusal[] } {
  const id = isObject(creative) ? textOf(creative['creative_id']) : undefined;
  if (!isObject(creative) || id === undefined) {
    return { errors: [refusal('INVALID_REQUEST', 'a creative needs a creative_id', `${at}.creative_id`)] };
  }
  const format = creative['format_id'];
  if (!isObject(format) || !productTakes(agent, product, format)) {
    const advice = `Use one of ${product.formatIds.join(', ')} of ${creativeAgentUrl}.`;
    return {
      errors: [
        refusal('CREATIVE_REJECTED', 'the product does not take this format', `${at}.format_id`, advice),
      ],
    };
  }
  const unsaid = provenanceFault(agent.personality, creative, at);
  if (unsaid !== undefined) return { errors: [unsaid] };
  if (!isObject(creative['assets'])) {
    return { errors: [refusal('CREATIVE_REJECTED', 'a creative needs its assets', `${at}.assets`)] };
  }
  return id;
}
