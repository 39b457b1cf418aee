import type { JsonObject } from '@switchyard/values';
import type { Finding, PackageRequest } from '../model.js';
import type { Form } from '../voice.js';
import { numberOf } from './amount.js';
import { is3x } from './form.js';
import { defined, listAt, patched, textAt, without } from './pick.js';

/** A package as a seller of this form wants it. `fallbackRef` stands in where the form needs a reference and there is none. */
export function projectPackage(wanted: PackageRequest, to: Form, fallbackRef: string): JsonObject {
  const { form, value } = wanted.original;
  const ids = { product_id: wanted.productId, pricing_option_id: wanted.pricingOptionId };
  const amounts = {
    budget: numberOf(wanted.budget),
    bid_price: wanted.bidPrice === undefined ? undefined : numberOf(wanted.bidPrice),
  };
  const buyerRef = wanted.buyerRef ?? textAt(wanted.context, 'buyer_ref');
  if (form === to || (is3x(form) && is3x(to))) {
    const base = form === to ? value : without(value, form === '3.1' ? only31 : []);
    const context = is3x(to) ? contextWith(wanted) : wanted.context;
    const targeting = { targeting_overlay: wanted.targetingOverlay };
    const named = { ...ids, ...amounts, ...targeting, context };
    return patched(base, { ...named, buyer_ref: is3x(to) ? undefined : buyerRef });
  }
  const creatives = wanted.creatives?.map((creative) => structuredClone(creative));
  const built = {
    ...ids,
    ...amounts,
    targeting_overlay: wanted.targetingOverlay,
    creatives,
    pacing: textAt(value, 'pacing'),
    format_ids: listAt(value, 'format_ids'),
  };
  if (is3x(to)) {
    const assignments = wanted.creativeIds?.map((id) => ({ creative_id: id }));
    const none = assignments === undefined || assignments.length === 0;
    const noCreatives = creatives === undefined || creatives.length === 0;
    return copied({
      ...built,
      creatives: noCreatives ? undefined : creatives,
      creative_assignments: none ? undefined : assignments,
      context: contextWith(wanted),
    });
  }
  const ids25 = wanted.creativeIds === undefined ? undefined : [...wanted.creativeIds];
  const chosen = to === 'service' ? oneKindOfCreatives(wanted) : { creative_ids: ids25 };
  return copied({ ...built, buyer_ref: buyerRef ?? fallbackRef, ...chosen });
}

/** The service description wants exactly one kind (ruling 18): ids before inline ones, and an empty list of ids for none. */
function oneKindOfCreatives(wanted: PackageRequest): Readonly<Record<string, unknown>> {
  const ids = wanted.creativeIds ?? [];
  const hasInline = wanted.creatives !== undefined && wanted.creatives.length > 0;
  if (ids.length === 0 && hasInline) return {};
  return { creative_ids: [...ids], creatives: undefined };
}

/** What a projection could not carry over, said per package. */
export function packageFindings(wanted: PackageRequest, at: number, to: Form): readonly Finding[] {
  if (is3x(to)) return [];
  const hasBoth =
    to === 'service' && (wanted.creativeIds?.length ?? 0) > 0 && (wanted.creatives?.length ?? 0) > 0;
  const lost = hasBoth
    ? [
        {
          code: 'CREATIVES_LEFT_OUT',
          message: 'This seller takes creatives by id or inline, not both.',
          field: `packages[${at}].creatives`,
        },
      ]
    : [];
  if (wanted.buyerRef !== undefined || textAt(wanted.context, 'buyer_ref') !== undefined) return lost;
  const message = 'The package has no reference of the buyer; one was made for this seller.';
  return [...lost, { code: 'BUYER_REF_MADE', message, field: `packages[${at}].buyer_ref` }];
}

const only31 = ['format_option_refs', 'format_kind', 'params', 'committed_metrics'];

/** In 3.x the buyer's reference has no member of its own: it travels in the package's context, which comes back. */
function contextWith(wanted: PackageRequest): JsonObject | undefined {
  if (wanted.buyerRef === undefined) return wanted.context;
  return { buyer_ref: wanted.buyerRef, ...wanted.context };
}

function copied(members: Readonly<Record<string, unknown>>): JsonObject {
  return structuredClone(defined(members)) as JsonObject;
}
