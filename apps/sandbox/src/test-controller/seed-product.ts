import type { Agent } from '../agent/agent.js';
import { channelFormats, type CatalogueProduct, type Channel } from '../buys/catalogue.js';
import { objectOf, textOf, textsOf, listOf, type JsonObject } from '../json.js';
import { microsOf } from '../micros.js';
import { wordsOf } from '../agent/words.js';
import type { SeededProduct } from '../buys/books-entry.js';

/** Foreign names of channels. */
const channelNames: Readonly<Record<string, Channel>> = {
  display: 'display',
  video: 'olv',
  olv: 'olv',
  ctv: 'ctv',
  audio: 'streaming_audio',
  streaming_audio: 'streaming_audio',
};
const startingPrice = { id: 'fixed_usd', model: 'cpm', priceMicros: '10000000' } as const;

/** Reads `seed_product`; a text is its fault. A product without prices gets a default one. */
export function seedProduct(agent: Agent, params: JsonObject): SeededProduct | string {
  const productId = textOf(params['product_id']);
  if (productId === undefined || productId === '') return 'product_id is required';
  const fixture = objectOf(params['fixture']) ?? {};
  const named = textsOf(fixture['channels'])?.[0] ?? 'display';
  const channel = Object.hasOwn(channelNames, named) ? channelNames[named] : undefined;
  if (channel === undefined) return `this agent sells nothing on the channel ${named.slice(0, 40)}`;
  const requested = (listOf(fixture['format_ids']) ?? []).map((format) => textOf(objectOf(format)?.['id']));
  const formatIds = requested.filter((id): id is string => id !== undefined);
  const known = agent.books.seeded.get(productId);
  return {
    productId,
    name: textOf(fixture['name']) ?? productId.replaceAll('_', ' '),
    channel,
    formatIds: formatIds.length > 0 ? formatIds : channelFormats[channel],
    guaranteed: fixture['delivery_type'] === 'guaranteed',
    pricing: known?.pricing ?? [],
  };
}

/** Reads `seed_pricing_option`: one more price of a product seeded before. */
export function seedPricingOption(agent: Agent, params: JsonObject): SeededProduct | string {
  const product = agent.books.seeded.get(textOf(params['product_id']) ?? '');
  if (product === undefined) return 'product_id names no product that was seeded';
  const id = textOf(params['pricing_option_id']);
  if (id === undefined || id === '') return 'pricing_option_id is required';
  const fixture = objectOf(params['fixture']) ?? {};
  const currency = textOf(fixture['currency']) ?? agent.personality.currency;
  if (currency !== agent.personality.currency) return `this agent sells in ${agent.personality.currency}`;
  const fixed = microsOf(fixture['fixed_price']);
  const floor = microsOf(fixture['floor_price']);
  const price = fixed ?? floor;
  if (price === undefined) return 'fixed_price or floor_price is required';
  const option = {
    id,
    model: fixed === undefined ? ('cpm-auction' as const) : ('cpm' as const),
    priceMicros: price.toString(),
  };
  return { ...product, pricing: [...product.pricing.filter((item) => item.id !== id), option] };
}

/** A seeded product in the form of the catalogue: missing members get defaults. */
export function catalogued(agent: Pick<Agent, 'personality'>, seeded: SeededProduct): CatalogueProduct {
  const { productId, name, channel, formatIds, guaranteed } = seeded;
  const options = seeded.pricing.length > 0 ? seeded.pricing : [startingPrice];
  return {
    productId,
    name,
    description: `${name}, put into the catalogue for a test.`,
    channel,
    formatIds,
    publisherDomain: `${agent.personality.slug}.market.example`,
    guaranteed,
    custom: false,
    pricing: options.map(({ id, model, priceMicros }) => ({
      id,
      model,
      priceMicros: BigInt(priceMicros),
      minSpendMicros: 0n,
    })),
    words: wordsOf(`${name} ${channel}`),
  };
}
