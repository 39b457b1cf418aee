import type { Gathered, GatheredLeg } from '@switchyard/buys';
import {
  comparablePrices,
  mergeProducts,
  mergeProposals,
  mergeVerdicts,
  refineFor,
  sameSupply,
  type Merged,
  type Offer,
  type WayTo,
} from '@switchyard/fanout';
import {
  getProducts as task,
  notReportedOfProduct,
  publicProduct,
  type GetProductsAnswer,
  type GetProductsRequest,
  type Product,
  type WireProfile,
} from '@switchyard/protocol';
import { atOnce, type JsonObject, type JsonValue } from '@switchyard/values';
import { filteredFindings, notReportedFindings, readFindings } from './market-findings.js';
import { incompleteOf } from './incomplete.js';
import { mergeOffers } from './merge-offers.js';
import { sellerErrors, writeItems, type WrittenItems } from '../platform/tasks/answer/write-answer.js';
import { shownFields } from './shown-fields.js';
import { withOurs } from '../platform/tasks/answer/extend-answer.js';

type Leg = GatheredLeg<GetProductsAnswer>;

/** A `get_products` request as its answer needs it: the request, its caller, and its version. */
export interface ProductsQuestion {
  readonly request: GetProductsRequest;
  readonly args: JsonObject;
  readonly profile: WireProfile;
  /** Without credentials: no custom products, no prices and no plans. */
  readonly isPublic: boolean;
  /** What publishers say about the ways to their supply; absent if they were not queried. */
  readonly wayTo?: WayTo;
  /** Set if proposals could not be stored: a proposal that cannot be bought is not shown. */
  readonly proposalsNotKept?: true;
}

/** Runs `productsWork` at once, for callers that cannot wait between its slices. */
export function productsAnswer(
  question: ProductsQuestion,
  gathered: Gathered<GetProductsAnswer>,
): JsonObject {
  return atOnce(productsWork(question, gathered)).payload;
}

/** The answer to a `get_products` request: all received items, merged fairly and filtered by the request. */
export function* productsWork(
  question: ProductsQuestion,
  gathered: Gathered<GetProductsAnswer>,
): Generator<void, WrittenItems> {
  const { request, args, profile, isPublic, proposalsNotKept } = question;
  const brought = gathered.legs.map(({ seller, answer }) => ({ seller, items: answer?.products ?? [] }));
  const merged = yield* mergeOffers(brought, (offers) => merge(question, offers));
  const products = merged.items.map(({ seller, item }) => ({ ...item, seller }));
  const proposals = isPublic || proposalsNotKept === true ? [] : proposalsOf(gathered.legs);
  const answered = gathered.legs.filter(({ answer }) => answer !== undefined);
  const { payload, failed } = yield* writeItems(
    task,
    {
      products,
      incomplete: incompleteOf(gathered, 'products', (answer) => answer.incomplete ?? [], merged.cut),
      ...(proposals.length === 0 ? {} : { proposals }),
      ...(request.refine === undefined
        ? {}
        : { refinementApplied: verdictsOf(request.refine, gathered.legs) }),
      ...('property_list' in args ? { propertyListApplied: isAppliedByAll(answered) } : {}),
    },
    profile,
  );
  const shown = merged.items.filter(({ seller }) => !failed.includes(seller));
  const isLong = shown.length > itemsPerTurn;
  if (isLong) yield;
  const notReported = notReportedFindings('products', shown, (item) =>
    notReportedOfProduct(item, profile.form),
  );
  if (isLong) yield;
  const comparable = comparablePrices(shown.map(({ item }) => item)) as unknown as JsonValue;
  if (isLong) yield;
  const supply = sameSupply(shown, question.wayTo) as unknown as JsonValue;
  if (isLong) yield;
  const ours = {
    findings: [
      ...(request.ignored ?? []).map((finding): JsonObject => ({ ...finding })),
      ...readFindings(gathered.legs),
      ...filteredFindings(merged),
      ...notReported,
      ...(proposalsNotKept === true ? [notStored] : []),
    ],
    seller_errors: sellerErrors(gathered.legs, profile),
    comparable_prices: comparable,
    same_supply: supply,
  };
  const scoped = isPublic ? forAnybody(payload) : payload;
  const projected = request.fields === undefined ? scoped : shownFields(scoped, 'products', request.fields);
  return { payload: withOurs(projected, ours, profile), failed: [...merged.failed, ...failed] };
}

/** Items processed in one turn of the event loop. */
const itemsPerTurn = 500;

/** Without answers, no seller applied a property list. */
function isAppliedByAll(answered: readonly Leg[]): boolean {
  return answered.length > 0 && answered.every(({ answer }) => answer?.propertyListApplied === true);
}

/**
 * What sellers answer without credentials is the same for everybody and may be cached for all (3.1, `cache_scope`).
 * With a credential the answer uses those of its organization, also without an account: it is for that account alone,
 * and is never marked as public.
 */
function forAnybody(payload: JsonObject): JsonObject {
  return 'cache_scope' in payload ? { ...payload, cache_scope: 'public' } : payload;
}

/** One seller's products as the caller may see them. */
function merge({ request, isPublic }: ProductsQuestion, offers: readonly Offer<Product>[]): Merged<Product> {
  const merged = mergeProducts(offers, request);
  if (!isPublic) return merged;
  const shown = merged.items.filter(({ item }) => !item.isCustom);
  return { ...merged, items: shown.map(({ seller, item }) => ({ seller, item: publicProduct(item) })) };
}

function proposalsOf(legs: readonly Leg[]): readonly JsonObject[] {
  return mergeProposals(legs.map(({ seller, answer }) => ({ seller, proposals: answer?.proposals ?? [] })));
}

const notStored = {
  code: 'PROPOSALS_NOT_KEPT',
  message: 'Proposals were received but could not be stored, so they are not shown. Repeat the request.',
};

/** A seller's refusal is its verdict on each change that it was sent. */
function verdictsOf(refine: readonly JsonObject[], legs: readonly Leg[]): readonly JsonObject[] {
  return mergeVerdicts(
    refine,
    legs.map(({ seller, answer, errors = [] }) => {
      const { places } = refineFor(refine, seller);
      const [first] = errors;
      if (answer === undefined && first !== undefined) {
        const refused = { status: 'unable', notes: `${first.code}: ${first.message}`.slice(0, 500) };
        return { seller, places, verdicts: places.map(() => refused) };
      }
      return { seller, places, verdicts: answer?.refinementApplied ?? [] };
    }),
  );
}
