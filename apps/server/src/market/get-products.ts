import { offerOf, type KnownClient, proposalQuotes } from '@switchyard/buys';
import { isFinalizing, refineFor, matchCapabilities, type MarketLeg } from '@switchyard/fanout';
import {
  type Finding,
  getProducts as task,
  type GetProductsAnswer,
  type GetProductsRequest,
  hasFeature,
} from '@switchyard/protocol';
import { shownTo, type Connection } from '@switchyard/sellers';
import { defined, inTurns, slicesOf, type Instant, type JsonObject } from '@switchyard/values';
import type { TenantScope } from '@switchyard/tenancy';
import { clientOf, sellersFor, skipOf } from '../platform/tasks/gates/find-client.js';
import {
  answerFromMarket,
  gatheredOf,
  lacksAccount,
  noAccount,
  type MarketOptions,
} from './answer-from-market.js';
import { uncommitted } from './finalized.js';
import { followLater } from './follow-later.js';
import type { Handled, HandledCall, HandlerDeps } from '../platform/tasks/call/handler.js';
import { timeoutOf } from '../platform/tasks/call/timeout.js';
import { productsWork, type ProductsQuestion } from './products-answer.js';
import { modeErrors, refineErrors } from './products-request-faults.js';
import { operationNamed, readEarlier } from './read-earlier.js';
import { firstPage, nextPage } from './answer-pages.js';
import { waysToSupply } from './ways-to-supply.js';
import { withFailed } from '../platform/tasks/answer/write-answer.js';

/** The time for sellers to send and for us to read an answer, in milliseconds of the buyer's time budget. */
const ownShareMs = 500;

type GetProductsCall = HandledCall<GetProductsRequest>;

/** Queries every sales agent, merges fairly, and stores the quotes for the checks before a buy. */
export async function getProducts(deps: HandlerDeps, handled: GetProductsCall): Promise<Handled> {
  if (handled.request.cursor !== undefined) return nextPage(deps, handled, 'products');
  const named = operationNamed(handled.args);
  if (named !== undefined) return readEarlier(deps, handled, named, 'products');
  const misplaced = modeErrors(handled.args);
  const faults = misplaced.length > 0 ? misplaced : await refineErrors(deps, handled);
  if (faults.length > 0) return { kind: 'failed', errors: faults };
  const begun = deps.ports.clock.now();
  const timeout = timeoutOf(handled.args, task.deadlineMs);
  const seconds = Math.floor((timeout - ownShareMs) / 1_000);
  // A finalization commits its seller: it is awaited without a time budget (docs/protocol/products.md#later-answers).
  const isHurried = seconds >= 1 && !isFinalizing(handled.request.refine ?? []);
  const request = { ...handled.request, ...(isHurried ? { timeBudgetSeconds: seconds } : {}) };
  const client = await clientOf(deps, handled);
  const sellers = await sellersFor(deps, handled, client);
  const isPublic = handled.principal === undefined;
  const { profile } = handled.version;
  const asked = { request: handled.request, args: handled.args, profile, isPublic };
  const parts = sendParts(handled.call, asked);
  const options = { ...optionsOf(handled.principal, request, client, sellers), ...parts?.option };
  const market = await answerFromMarket(deps, { ...handled, request }, task, options);
  await parts?.sent();
  const undone = uncommitted(handled.request.refine, gatheredOf(market));
  if (undone.length > 0)
    return { kind: 'failed', errors: undone, sellers: market.rows, operationId: market.operationId };
  if (!isPublic) storeQuotes(deps, handled, market.legs, begun);
  const isStored = isPublic || (await storeProposals(deps, handled.scope, market.legs, begun));
  const question = {
    ...asked,
    wayTo: await waysToSupply(deps, market.legs, begun + timeout - deps.ports.clock.now()),
    ...(isStored ? {} : { proposalsNotKept: true as const }),
  };
  const { payload, failed } = await inTurns(productsWork(question, gatheredOf(market)));
  const answer = await followLater(deps, handled, market, {
    kind: 'done',
    status: 'completed',
    payload,
    sellers: withFailed(market.rows, failed),
    operationId: market.operationId,
  });
  return answer.kind === 'done' && answer.status === 'completed'
    ? firstPage(deps, handled, 'products', answer)
    : answer;
}

/** So many products of one seller are sent before the answer, which has all. */
const mostInPart = 200;

/**
 * Sends the products of each seller as it answers, to a caller that reads them so: written by what writes the answer, so
 * a part shows nothing that the answer would not. A part that cannot be written is left out.
 */
function sendParts({ onItems }: GetProductsCall['call'], asked: ProductsQuestion) {
  if (onItems === undefined) return undefined;
  const parts: Promise<void>[] = [];
  const send = async (leg: MarketLeg<GetProductsAnswer>): Promise<void> => {
    const { payload } = await inTurns(productsWork(asked, { legs: [leg], rows: [], later: [] }));
    const { products } = payload;
    if (Array.isArray(products)) onItems(leg.seller, 'products', products.slice(0, mostInPart));
  };
  return {
    option: {
      onAnswer: (leg: MarketLeg<GetProductsAnswer>) => void parts.push(send(leg).catch(() => undefined)),
    },
    sent: () => Promise.all(parts),
  };
}

function optionsOf(
  principal: HandledCall<GetProductsRequest>['principal'],
  request: GetProductsRequest,
  client: KnownClient | undefined,
  sellers: Awaited<ReturnType<typeof sellersFor>>,
): MarketOptions<GetProductsRequest, GetProductsAnswer> {
  const { refine } = request;
  const { account: _buyers, ...bare } = request;
  return {
    ...sellers,
    count: (answer) => answer.products.length,
    mayComeLater: request.buyingMode !== 'wholesale',
    pages: {
      cursorOf: (answer) => answer.page?.cursor,
      join: (sofar, next) => ({
        ...sofar,
        products: [...sofar.products, ...next.products],
        proposals: [...(sofar.proposals ?? []), ...(next.proposals ?? [])],
        incomplete: [...(sofar.incomplete ?? []), ...(next.incomplete ?? [])],
      }),
    },
    requestFor: (connection) => {
      const hidden = skipOf(principal, client, connection);
      if (hidden !== undefined) return hidden;
      const { lacks } = matchCapabilities(connection.capabilities?.original, request.filters);
      if (lacks.length > 0) return { skip: { reason: lackOf(lacks), code: 'FILTERED_OUT' } };
      const found = sellers.accounts.get(connection.id);
      if (lacksAccount(connection, found)) return { skip: noAccount };
      // Where accounts of ours are known by their ids, the buyer's pair names none of them.
      const asked = found?.isSplit === true || connection.account !== undefined ? bare : request;
      return refine === undefined ? asked : refinement(asked, refine, connection);
    },
    findingsOn: (connection) => unjudged(request, connection),
  };
}

/** The filter requires a capability that this seller does not declare. */
function lackOf(lacks: readonly string[]): string {
  return `Its capabilities do not include ${lacks.slice(0, 5).join(', ')}${lacks.length > 5 ? ' and more' : ''}.`;
}

/** An older version has no place for these filters, which is a finding of its own. */
function unjudged(request: GetProductsRequest, { form, capabilities }: Connection): readonly Finding[] {
  if (!hasFeature(form, 'declaredFilters')) return [];
  return matchCapabilities(capabilities?.original, request.filters).undeclared.map((name) => ({
    code: 'NOT_DECLARED',
    message: 'Its capabilities do not say whether it offers this, so it was queried.',
    field: `filters.${name}`,
  }));
}

/** A seller gets its own part of a refinement; an older version cannot express one. */
function refinement(request: GetProductsRequest, refine: readonly JsonObject[], connection: Connection) {
  const { changes } = refineFor(refine, connection.slug);
  if (changes.length === 0)
    return { skip: { reason: 'The refinement has no item of this seller.', code: 'NOT_REFINED' } };
  if (!hasFeature(connection.form, 'refinements'))
    return { skip: { reason: 'Its protocol version does not support refinement.', code: 'NOT_CARRIED' } };
  return { ...request, refine: changes };
}

/**
 * Stored beside the answer, not before it: if this fails, a buy queries the seller itself (find-offers), so the buyer
 * does not wait for the write. Their time is that of the read: while the slowest seller was awaited, another may have
 * sent newer quotes.
 */
function storeQuotes(
  deps: HandlerDeps,
  { scope }: GetProductsCall,
  legs: readonly MarketLeg<GetProductsAnswer>[],
  requestedAt: Instant,
): void {
  const { store, notice } = deps.ports;
  const quoted = legs.flatMap(({ connection, answer }) =>
    (answer?.products ?? []).map((product) => ({ connection, product })),
  );
  const save = async (): Promise<void> => {
    for (const { items } of slicesOf(quoted, quotesAtOnce, () => 1)) {
      const quotes = items.map(({ connection, product }) => ({
        connectionId: connection.id,
        offer: {
          ...offerOf(connection.slug, product, requestedAt),
          ...defined({ quotedIn: shownTo(connection) }),
        },
      }));
      await store.saveOffers(scope, quotes);
    }
  };
  save().catch(() => {
    notice({ code: 'QUOTES_NOT_KEPT', seller: 'all', legId: '', message: 'Quotes could not be stored.' });
  });
}

/** Quotes per statement. */
const quotesAtOnce = 1_000;

/**
 * Stores sellers' proposals before the buyer gets them: a proposal cannot be requested again, so one that is not stored
 * could not be bought. False if they could not be stored; then the answer is sent without proposals.
 */
export async function storeProposals(
  { ports }: Pick<HandlerDeps, 'ports'>,
  scope: TenantScope,
  legs: readonly MarketLeg<GetProductsAnswer>[],
  requestedAt: Instant,
): Promise<boolean> {
  const quotes = legs.flatMap(({ connection, answer }) =>
    proposalQuotes(
      { connectionId: connection.id, seller: connection.slug, proposals: answer?.proposals ?? [] },
      requestedAt,
    ),
  );
  if (quotes.length === 0) return true;
  try {
    await ports.store.saveProposals(scope, quotes);
    return true;
  } catch {
    const message = 'Proposals could not be stored, and were not shown.';
    ports.notice({ code: 'PROPOSALS_NOT_KEPT', seller: 'all', legId: '', message });
    return false;
  }
}
