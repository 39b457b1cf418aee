import { askTheMarket } from '../ask-the-market.js';
import { offerOf } from '@switchyard/buys';
import { mergeProducts } from '@switchyard/fanout';
import {
  getProducts as task,
  type GetProductsRequest,
  type PricingOption,
  type Product,
} from '@switchyard/protocol';
import type { Handled, HandledCall, HandlerParts } from '../handler.js';

/** Asks every sales agent, merges fairly, and keeps what was quoted for the checks before a buy. */
export async function getProducts(
  parts: HandlerParts,
  handled: HandledCall<GetProductsRequest>,
): Promise<Handled> {
  const { request, version } = handled;
  const market = await askTheMarket(parts, handled, task, (answer) => answer.products.length);
  const offers = market.legs.map((leg) => ({ seller: leg.seller, items: leg.answer?.products ?? [] }));
  const merged = mergeProducts(offers, request);
  const isPublic = handled.principal === undefined;
  if (!isPublic) keepQuotes(parts, handled, market.legs);
  const products = merged.items.map(({ seller, item }) => ({ ...item, seller }));
  const shown = isPublic
    ? products
        .filter((product) => !product.isCustom)
        .map((product) => withoutPrices(product, version.voice.form === 'service'))
    : products;
  return {
    kind: 'done',
    status: 'completed',
    payload: task.projectAnswer({ products: shown }, version.voice),
    sellers: market.rows,
    operationId: market.operationId,
  };
}

/**
 * Kept beside the answer, not before it: should this fail, a buy asks the seller itself (find-offers), so the
 * buyer's question need not wait for our memory.
 */
function keepQuotes(
  parts: HandlerParts,
  { scope }: HandledCall<GetProductsRequest>,
  legs: readonly {
    readonly connection: { readonly id: string; readonly slug: string };
    readonly answer?: { readonly products: readonly Product[] };
  }[],
): void {
  const { store, clock, notice } = parts.ports;
  for (const { connection, answer } of legs) {
    const offers = (answer?.products ?? []).map((product) => offerOf(connection.slug, product, clock.now()));
    if (offers.length === 0) continue;
    store.saveOffers(scope, connection.id, offers).catch(() => {
      notice({
        code: 'QUOTES_NOT_KEPT',
        seller: connection.slug,
        legId: '',
        message: 'Quotes could not be stored.',
      });
    });
  }
}

/** The public tier: what there is, without a figure (ruling 3). The seller's own object could hold one anywhere. */
function withoutPrices(product: Product & { seller: string }, noOptions: boolean): Product {
  const bare = (option: PricingOption): PricingOption => ({
    pricingOptionId: option.pricingOptionId,
    model: option.model,
    currency: option.currency,
    auction: option.auction,
    original: { form: 'ours', value: {} },
  });
  return {
    ...product,
    pricingOptions: noOptions ? [] : product.pricingOptions.map(bare),
    original: { form: 'ours', value: {} },
  };
}
