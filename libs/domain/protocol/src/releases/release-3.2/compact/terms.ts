import { createHash } from 'node:crypto';
import { canonicalJson, defined, type JsonObject } from '@switchyard/values';
import { numberAt, objectAt, objectsAt, textAt } from '../../../message/pick.js';
import { same } from './keep.js';

/** Prefix and Base64url of SHA-256 over the terms as RFC 8785 writes them. */
export function digestOf(terms: JsonObject): string {
  return `sha256:${createHash('sha256').update(canonicalJson(terms)).digest('base64url')}`;
}

/**
 * The terms of a proposal: what its seller allots, at the prices that the same answer shows. `undefined` where a price or a
 * flight is not told, because terms are accepted as they stand (docs/protocol/requests-and-versions.md#lifecycle-tasks).
 */
export function termsOfProposal(
  proposal: JsonObject,
  products: readonly JsonObject[],
  { brand, flight }: { readonly brand: JsonObject | undefined; readonly flight: JsonObject },
): JsonObject | undefined {
  const purchases = objectsAt(proposal, 'allocations').map((allocation) => {
    const product = products.find((one) => one['product_id'] === allocation['product_id']);
    const named = textAt(allocation, 'pricing_option_id');
    const options = objectsAt(product, 'pricing_options');
    // Without a recommendation, an only option is the one that is meant.
    const option = named === undefined && options.length === 1 ? options[0] : optionNamed(options, named);
    const start = textAt(allocation, 'start_time') ?? textAt(flight, 'start_time');
    const end = textAt(allocation, 'end_time') ?? textAt(flight, 'end_time');
    if (product === undefined || option === undefined || start === undefined || end === undefined)
      return undefined;
    return purchaseOf(product, option, { start_time: start, end_time: end });
  });
  const known = purchases.filter((purchase) => purchase !== undefined);
  if (brand === undefined || known.length === 0 || known.length < purchases.length) return undefined;
  const currencies = new Set(known.map((purchase) => objectAt(purchase, 'pricing')?.['currency']));
  if (currencies.size > 1) return undefined;
  return {
    brand: same(brand, ['domain', 'brand_id', 'countries']),
    purchases: known,
    start_time: earliest(known, 'start_time'),
    end_time: latest(known, 'end_time'),
    ...totalOf(proposal),
  };
}

function optionNamed(options: readonly JsonObject[], id: string | undefined): JsonObject | undefined {
  return options.find((option) => option['pricing_option_id'] === id);
}

function purchaseOf(product: JsonObject, option: JsonObject, flight: JsonObject): JsonObject {
  return {
    product_id: product['product_id'] ?? '',
    pricing_option_id: option['pricing_option_id'] ?? '',
    pricing: structuredClone(option),
    ...flight,
    ...same(product, ['measurement_terms', 'performance_standards']),
  };
}

/** The total, where an insertion order names one. Guidance is advice: with that alone, the buyer names the total. */
function totalOf(proposal: JsonObject): JsonObject {
  const total = objectAt(objectAt(objectAt(proposal, 'insertion_order'), 'terms'), 'total_budget');
  const [amount, currency] = [numberAt(total, 'amount'), textAt(total, 'currency')];
  return amount === undefined || currency === undefined ? {} : { total_budget: { amount, currency } };
}

function earliest(purchases: readonly JsonObject[], name: string): string {
  return purchases
    .map((purchase) => textAt(purchase, name) ?? '')
    .reduce((a, b) => (Date.parse(b) < Date.parse(a) ? b : a));
}

function latest(purchases: readonly JsonObject[], name: string): string {
  return purchases
    .map((purchase) => textAt(purchase, name) ?? '')
    .reduce((a, b) => (Date.parse(b) > Date.parse(a) ? b : a));
}

/** A proposal in the shape of the lifecycle tasks. */
export function compactProposal(
  proposal: JsonObject,
  terms: JsonObject,
  more: { readonly status: 'draft' | 'committed'; readonly expiresAt: string; readonly parent?: string },
): JsonObject {
  const guidance = objectAt(proposal, 'total_budget_guidance');
  const isTold = textAt(guidance, 'currency') !== undefined && Object.keys(guidance ?? {}).length > 1;
  return defined({
    proposal_id: textAt(proposal, 'proposal_id') ?? '',
    proposal_kind: 'new_media_buy',
    parent_proposal_id: more.parent,
    proposal_status: more.status,
    expires_at: more.expiresAt,
    name: textAt(proposal, 'name') ?? textAt(proposal, 'proposal_id') ?? '',
    brief_alignment: textAt(proposal, 'brief_alignment'),
    commercial_terms: terms,
    terms_digest: digestOf(terms),
    insertion_order: objectAt(proposal, 'insertion_order'),
    total_budget_guidance: isTold
      ? same(guidance ?? {}, ['min', 'recommended', 'max', 'currency'])
      : undefined,
  });
}
