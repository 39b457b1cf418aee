import type { Gathered, GatheredLeg } from '@switchyard/buys';
import {
  comparablePrices,
  mergeProducts,
  mergeProposals,
  mergeVerdicts,
  refineFor,
  sameSupply,
  type Merged,
  type WayTo,
} from '@switchyard/fanout';
import {
  getProducts as task,
  notToldOfProduct,
  publicProduct,
  type GetProductsAnswer,
  type GetProductsRequest,
  type Product,
  type Voice,
} from '@switchyard/protocol';
import type { JsonObject, JsonValue } from '@switchyard/values';
import { filteredFindings } from './filtered-findings.js';
import { incompleteOf } from './incomplete.js';
import { notToldFindings } from './not-told-findings.js';
import { readFindings } from './read-findings.js';
import { sellerErrors } from './seller-errors.js';
import { shownFields } from './shown-fields.js';
import { withOurs } from './with-ours.js';
import { writeAnswer } from './write-answer.js';

type Leg = GatheredLeg<GetProductsAnswer>;
type Shown = readonly { readonly seller: string; readonly item: Product }[];

/** A question for products as its answer is made: what was asked, by whom, and how it is written. */
export interface ProductsQuestion {
  readonly request: GetProductsRequest;
  readonly args: JsonObject;
  readonly voice: Voice;
  /** Without credentials: no custom products, no prices and no plans. */
  readonly isPublic: boolean;
  /** What publishers say of the ways to their supply; absent where they were not asked. */
  readonly wayTo?: WayTo;
  /** Set where proposals could not be written down: what nobody could buy is not shown. */
  readonly proposalsNotKept?: true;
}

/** What a question for products comes to: everything that came, merged fairly and held to what was asked for. */
export function productsAnswer(
  question: ProductsQuestion,
  gathered: Gathered<GetProductsAnswer>,
): JsonObject {
  const { request, args, voice, isPublic, proposalsNotKept } = question;
  const merged = merge(question, gathered.legs);
  const shown = shownTo(question, merged);
  const products = shown.map(({ seller, item }) => ({ ...item, seller }));
  const proposals = isPublic || proposalsNotKept === true ? [] : proposalsOf(gathered.legs);
  const answered = gathered.legs.filter(({ answer }) => answer !== undefined);
  const payload = writeAnswer(
    task,
    {
      products,
      incomplete: incompleteOf(gathered, 'products', (answer) => answer.incomplete ?? []),
      ...(proposals.length === 0 ? {} : { proposals }),
      ...(request.refine === undefined
        ? {}
        : { refinementApplied: verdictsOf(request.refine, gathered.legs) }),
      ...('property_list' in args ? { propertyListApplied: isAppliedByAll(answered) } : {}),
    },
    voice,
  );
  const ours = {
    findings: [
      ...readFindings(gathered.legs),
      ...filteredFindings(merged),
      ...notToldFindings('products', shown, (item) => notToldOfProduct(item, voice.form)),
      ...(proposalsNotKept === true ? [notKept] : []),
    ],
    seller_errors: sellerErrors(gathered.legs, voice),
    comparable_prices: comparablePrices(products) as unknown as JsonValue,
    same_supply: sameSupply(shown, question.wayTo) as unknown as JsonValue,
  };
  const scoped = isPublic ? forAnybody(payload) : payload;
  const projected = request.fields === undefined ? scoped : shownFields(scoped, 'products', request.fields);
  return withOurs(projected, ours, voice);
}

/** A list that nobody has answered to was applied by nobody. */
function isAppliedByAll(answered: readonly Leg[]): boolean {
  return answered.length > 0 && answered.every(({ answer }) => answer?.propertyListApplied === true);
}

function merge({ request }: ProductsQuestion, legs: readonly Leg[]): Merged<Product> {
  const offers = legs.map((leg) => ({ seller: leg.seller, items: leg.answer?.products ?? [] }));
  return mergeProducts(offers, request);
}

/**
 * What sellers say without credentials is the same for everybody, and may be kept for everybody (3.1, `cache_scope`).
 * Whoever shows a credential is answered over those of its organization, also where it names no account: such an answer
 * is of that account alone, and is never said to be anybody's.
 */
function forAnybody(payload: JsonObject): JsonObject {
  return 'cache_scope' in payload ? { ...payload, cache_scope: 'public' } : payload;
}

function shownTo({ isPublic }: ProductsQuestion, { items }: Merged<Product>): Shown {
  if (!isPublic) return items;
  return items
    .filter(({ item }) => !item.isCustom)
    .map(({ seller, item }) => ({ seller, item: publicProduct(item) }));
}

function proposalsOf(legs: readonly Leg[]): readonly JsonObject[] {
  return mergeProposals(legs.map(({ seller, answer }) => ({ seller, proposals: answer?.proposals ?? [] })));
}

const notKept = {
  code: 'PROPOSALS_NOT_KEPT',
  message: 'Proposals came and could not be written down, so they are not shown. Ask again.',
};

/** What a seller refused stands as its verdict on each change that it was asked for. */
function verdictsOf(refine: readonly JsonObject[], legs: readonly Leg[]): readonly JsonObject[] {
  return mergeVerdicts(
    refine,
    legs.map(({ seller, answer, errors = [] }) => {
      const { places } = refineFor(refine, seller);
      const [first] = errors;
      if (answer === undefined && first !== undefined) {
        const refused = { status: 'unable', notes: `${first.code}: ${first.message}`.slice(0, 500) };
        return { seller, places, said: places.map(() => refused) };
      }
      return { seller, places, said: answer?.refinementApplied ?? [] };
    }),
  );
}
