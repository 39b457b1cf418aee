import { offerOf } from '@switchyard/buys';
import {
  comparablePrices,
  mergeProducts,
  mergeProposals,
  mergeVerdicts,
  refineFor,
  sameSupply,
  type MarketLeg,
} from '@switchyard/fanout';
import {
  getProducts as task,
  publicProduct,
  type GetProductsAnswer,
  type GetProductsRequest,
  type Product,
} from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { JsonObject, JsonValue } from '@switchyard/values';
import { askTheMarket, type MarketAsked, type MarketWishes } from '../ask-the-market.js';
import type { Handled, HandledCall, HandlerParts } from '../handler.js';
import { incompleteOf } from '../incomplete.js';
import { patienceOf } from '../patience.js';
import { listed, readFindings } from '../read-findings.js';
import { shownFields } from '../shown-fields.js';
import { shelved, takeOn } from '../shelve-answer.js';
import { withOurs } from '../with-ours.js';

/** What sellers need to send their answer and we to read it, in milliseconds of the buyer's patience. */
const ownShareMs = 500;

type Asked = HandledCall<GetProductsRequest>;
type Leg = MarketLeg<GetProductsAnswer>;

/** Asks every sales agent, merges fairly, and keeps what was quoted for the checks before a buy. */
export async function getProducts(parts: HandlerParts, handled: Asked): Promise<Handled> {
  if (handled.request.cursor !== undefined) return takeOn(parts, handled, 'products');
  const patience = patienceOf(handled.args, task.deadlineMs);
  const seconds = Math.floor((patience - ownShareMs) / 1_000);
  const request = { ...handled.request, ...(seconds < 1 ? {} : { timeBudgetSeconds: seconds }) };
  const market = await askTheMarket(parts, { ...handled, request }, task, wishesOf(request));
  const isPublic = handled.principal === undefined;
  if (!isPublic) keepQuotes(parts, handled, market.legs);
  const offers = market.legs.map((leg) => ({ seller: leg.seller, items: leg.answer?.products ?? [] }));
  const { items } = mergeProducts(offers, request);
  const shown = isPublic
    ? items
        .filter(({ item }) => !item.isCustom)
        .map(({ seller, item }) => ({ seller, item: publicProduct(item) }))
    : items;
  const payload = payloadOf(handled, market, shown);
  return shelved(parts, handled, 'products', {
    kind: 'done',
    status: 'completed',
    payload,
    sellers: market.rows,
    operationId: market.operationId,
  });
}

function wishesOf(request: GetProductsRequest): MarketWishes<GetProductsRequest, GetProductsAnswer> {
  const { refine } = request;
  return {
    count: (answer) => answer.products.length,
    pages: {
      cursorOf: (answer) => answer.page?.cursor,
      join: (sofar, next) => ({
        ...sofar,
        products: [...sofar.products, ...next.products],
        proposals: [...(sofar.proposals ?? []), ...(next.proposals ?? [])],
        incomplete: [...(sofar.incomplete ?? []), ...(next.incomplete ?? [])],
      }),
    },
    ...(refine === undefined ? {} : { requestFor: (connection) => refinement(request, refine, connection) }),
  };
}

/** A seller gets its own part of a refinement; an older form cannot say one. */
function refinement(request: GetProductsRequest, refine: readonly JsonObject[], connection: Connection) {
  const { changes } = refineFor(refine, connection.slug);
  if (changes.length === 0)
    return { skip: { reason: 'Nothing of what is refined is its.', code: 'NOT_REFINED' } };
  if (connection.form !== '3.0' && connection.form !== '3.1')
    return { skip: { reason: 'Its form has no refinements.', code: 'NOT_CARRIED' } };
  return { ...request, refine: changes };
}

function payloadOf(
  { request, args, version, principal }: Asked,
  market: MarketAsked<GetProductsAnswer>,
  shown: readonly { readonly seller: string; readonly item: Product }[],
): JsonObject {
  const { voice } = version;
  const products = shown.map(({ seller, item }) => ({ ...item, seller }));
  const proposals = principal === undefined ? [] : proposalsOf(market.legs);
  const incomplete = incompleteOf(market, 'products', (answer) => answer.incomplete ?? []);
  const answered = market.legs.filter(({ answer }) => answer !== undefined);
  const payload = task.projectAnswer(
    {
      products,
      incomplete,
      ...(proposals.length === 0 ? {} : { proposals }),
      ...(request.refine === undefined ? {} : { refinementApplied: verdictsOf(request.refine, answered) }),
      ...('property_list' in args
        ? { propertyListApplied: answered.every(({ answer }) => answer?.propertyListApplied === true) }
        : {}),
    },
    voice,
  );
  const written = listed(payload, 'products');
  const items = products.map(({ seller, original }, at) => ({
    seller,
    original,
    written: written[at] ?? {},
  }));
  const findings = readFindings(market.legs, 'products', items, voice.form, {});
  const lostPlans =
    proposals.length > 0 && payload['proposals'] === undefined
      ? [
          {
            code: 'NOT_CARRIED',
            message: 'Sellers propose plans, which your form has no place for.',
            field: 'proposals',
          },
        ]
      : [];
  const ours = {
    findings: [...findings, ...lostPlans],
    comparable_prices: comparablePrices(products) as unknown as JsonValue,
    same_supply: sameSupply(shown) as unknown as JsonValue,
  };
  const projected = request.fields === undefined ? payload : shownFields(payload, request.fields);
  return withOurs(projected, ours, voice);
}

function proposalsOf(legs: readonly Leg[]): readonly JsonObject[] {
  return mergeProposals(legs.map(({ seller, answer }) => ({ seller, proposals: answer?.proposals ?? [] })));
}

function verdictsOf(refine: readonly JsonObject[], legs: readonly Leg[]): readonly JsonObject[] {
  return mergeVerdicts(
    refine,
    legs.map(({ seller, answer }) => ({
      seller,
      places: refineFor(refine, seller).places,
      said: answer?.refinementApplied ?? [],
    })),
  );
}

/**
 * Kept beside the answer, not before it: should this fail, a buy asks the seller itself (find-offers), so the
 * buyer's question need not wait for our memory.
 */
function keepQuotes(parts: HandlerParts, { scope }: Asked, legs: readonly Leg[]): void {
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
