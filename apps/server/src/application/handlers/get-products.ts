import { offerOf } from '@switchyard/buys';
import { mergeProducts, type MarketLeg } from '@switchyard/fanout';
import {
  getProducts as task,
  publicProduct,
  type GetProductsAnswer,
  type GetProductsRequest,
} from '@switchyard/protocol';
import { askTheMarket } from '../ask-the-market.js';
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
  const shown = isPublic ? products.filter((product) => !product.isCustom).map(publicProduct) : products;
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
  legs: readonly MarketLeg<GetProductsAnswer>[],
): void {
  const { store, clock, notice } = parts.ports;
  const at = clock.now();
  const quotes = legs.flatMap(({ connection, answer }) =>
    (answer?.products ?? []).map((product) => ({
      connectionId: connection.id,
      offer: offerOf(connection.slug, product, at),
    })),
  );
  if (quotes.length === 0) return;
  store.saveOffers(scope, quotes).catch(() => {
    notice({ code: 'QUOTES_NOT_KEPT', seller: 'all', legId: '', message: 'Quotes could not be stored.' });
  });
}
