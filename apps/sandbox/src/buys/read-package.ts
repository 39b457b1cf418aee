import { randomUUID } from 'node:crypto';
import type { Agent } from '../agent/agent.js';
import type { BuyPackage } from './buy.js';
import type { CatalogueProduct, Pricing } from './catalogue.js';
import { counteredTerms } from './counter-terms.js';
import { readCreatives } from '../creatives/read-creatives.js';
import { isObject, objectOf, textOf, type Json, type JsonObject } from '../json.js';
import { amountOf, microsOf } from '../micros.js';
import { refusal, type Refusal } from '../agent/outcome.js';
import { draw } from '../seeded.js';

/** One package of a request, checked against the catalogue: what is sold and at what price. */
export function readPackage(
  agent: Agent,
  value: Json,
  index: number,
): BuyPackage | { readonly errors: readonly Refusal[] } {
  const at = `packages[${String(index)}]`;
  if (!isObject(value)) return { errors: [refusal('INVALID_REQUEST', 'a package is an object', at)] };
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
  const money = readMoney(agent, value, { at, product, option, index });
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
  const budget = microsOf(value['budget']);
  if (budget === undefined || budget === 0n) {
    return { errors: [refusal('INVALID_REQUEST', 'budget must be a positive amount', `${at}.budget`)] };
  }
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
