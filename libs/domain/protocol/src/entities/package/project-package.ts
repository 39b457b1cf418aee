import { defined, type JsonObject } from '@switchyard/values';
import type { Finding } from '../../losses/finding.js';
import type { PackageRequest } from './package-request.js';
import type { Form } from '../../versions/wire-profile.js';
import { numberOf } from '../../message/amount.js';
import { fittedTerms } from './fitted-terms.js';
import { is3x } from '../../message/form.js';
import { projectInline } from '../creative/inline-creatives.js';
import { booleanAt, listAt, numberAt, objectsAt, patched, textAt, without } from '../../message/pick.js';
import { projectTargeting, unsupportedTargeting } from '../targeting/targeting.js';
import { lostMembers, withPaths } from '../../losses/lost-members.js';

/** Empty, they mean the same as absent, and the schemas of 3.x require at least one item. */
const neverEmpty = ['creatives', 'creative_assignments'];

/** A package in the form of a seller. `fallbackRef` is used where the form requires a reference and there is none. */
export function projectPackage(wanted: PackageRequest, to: Form, fallbackRef: string): JsonObject {
  const { form, value } = wanted.original;
  const ids = { product_id: wanted.productId, pricing_option_id: wanted.pricingOptionId };
  const amounts = {
    budget: numberOf(wanted.budget),
    bid_price: wanted.bidPrice === undefined ? undefined : numberOf(wanted.bidPrice),
  };
  const buyerRef = wanted.buyerRef ?? textAt(wanted.context, 'buyer_ref');
  const inline = projectInline(wanted.creatives, { form, to, field: '' }, wanted.fromLibrary).creatives;
  const creatives = is3x(to) && inline?.length === 0 ? undefined : inline;
  if (form === to || (is3x(form) && is3x(to))) {
    const empty = is3x(to) ? neverEmpty.filter((name) => listAt(value, name)?.length === 0) : [];
    const base = without(value, form === '3.1' && to !== '3.1' ? [...only31, ...empty] : empty);
    const context = is3x(to) ? contextWith(wanted) : wanted.context;
    const targeting = { targeting_overlay: aimedAt(wanted.targetingOverlay, to) };
    const named = { ...ids, ...amounts, ...targeting, creatives, context };
    const terms = form === to ? base : fittedTerms(base, to).terms;
    return patched(terms, { ...named, buyer_ref: is3x(to) ? undefined : buyerRef });
  }
  const built = {
    ...ids,
    ...amounts,
    targeting_overlay: aimedAt(wanted.targetingOverlay, to),
    creatives,
    pacing: textAt(value, 'pacing'),
    // The `service` form has neither a goal nor paused packages.
    impressions: to === 'service' ? undefined : numberAt(value, 'impressions'),
    paused: to === 'service' ? undefined : booleanAt(value, 'paused'),
    format_ids: listAt(value, 'format_ids'),
  };
  if (is3x(to)) {
    const assignments = wanted.creativeIds?.map((id) => ({ creative_id: id }));
    const none = assignments === undefined || assignments.length === 0;
    return copied({
      ...built,
      creative_assignments: none ? undefined : assignments,
      context: contextWith(wanted),
    });
  }
  const ids25 = wanted.creativeIds === undefined ? undefined : [...wanted.creativeIds];
  const chosen =
    to === 'service' ? oneKindOfCreatives(wanted.creativeIds, creatives) : { creative_ids: ids25 };
  return copied({ ...built, buyer_ref: buyerRef ?? fallbackRef, ...chosen });
}

function aimedAt(targeting: JsonObject | undefined, to: Form): JsonObject | undefined {
  return targeting === undefined ? undefined : projectTargeting(targeting, to).targeting;
}

/**
 * The `service` form requires exactly one kind (docs/protocol/media-buys.md#packages): ids before inline creatives, and
 * an empty list of ids for none.
 */
function oneKindOfCreatives(
  ids: readonly string[] = [],
  creatives: readonly JsonObject[] = [],
): Readonly<Record<string, unknown>> {
  if (ids.length === 0 && creatives.length > 0) return {};
  return { creative_ids: [...ids], creatives: undefined };
}

/** Findings for what a projection left out of a package. `list` is the member that holds it in the request. */
export function packageFindings(
  wanted: PackageRequest,
  at: number,
  to: Form,
  list = 'packages',
): readonly Finding[] {
  const field = `${list}[${at}]`;
  const hasBoth =
    to === 'service' && (wanted.creativeIds?.length ?? 0) > 0 && (wanted.creatives?.length ?? 0) > 0;
  const message = 'This seller takes creatives by id or inline, not both.';
  const lost: Finding[] = hasBoth
    ? [{ code: 'CREATIVES_LEFT_OUT', message, field: `${field}.creatives` }]
    : [
        ...projectInline(wanted.creatives, { form: wanted.original.form, to, field }, wanted.fromLibrary)
          .findings,
      ];
  const { unsupported } = projectTargeting(wanted.targetingOverlay ?? {}, to);
  lost.push(...unsupportedTargeting(unsupported, `${field}.targeting_overlay`));
  if (is3x(to)) return lost;
  const isDetailed = objectsAt(wanted.original.value, 'creative_assignments').some(
    (assignment) => Object.keys(assignment).length > 1,
  );
  if (isDetailed) {
    const detail = "The seller's protocol version has no weights and placements in assignments.";
    lost.push({
      code: 'ASSIGNMENT_DETAIL_LEFT_OUT',
      message: detail,
      field: `${field}.creative_assignments`,
    });
  }
  if (wanted.buyerRef !== undefined || textAt(wanted.context, 'buyer_ref') !== undefined) return lost;
  const made = 'The package has no reference of the buyer; one was made for this seller.';
  return [...lost, { code: 'BUYER_REF_MADE', message: made, field: `${field}.buyer_ref` }];
}

const only31 = ['format_option_refs', 'format_kind', 'params', 'committed_metrics'];

/** 3.x has no member for the buyer's reference: it is sent in the package's context, which is returned. */
function contextWith(wanted: PackageRequest): JsonObject | undefined {
  if (wanted.buyerRef === undefined) return wanted.context;
  return { buyer_ref: wanted.buyerRef, ...wanted.context };
}

function copied(members: Readonly<Record<string, unknown>>): JsonObject {
  return structuredClone(defined(members)) as JsonObject;
}

const carriage = {
  aliases: { buyer_ref: ['context'] },
  // The context is returned by us; losses in creatives and targeting are reported where packages are projected.
  local: ['context', 'creatives', 'creative_ids', 'creative_assignments', 'targeting_overlay'],
};

/** Paths of what the request's packages have and the written ones do not; `list` is their member in the request. */
export function lostInPackages(
  packages: readonly PackageRequest[],
  written: readonly JsonObject[],
  list: 'packages' | 'new_packages',
  to: Form,
): readonly Finding[] {
  return packages.flatMap(({ original: { form, value } }, at) => {
    const lost = lostMembers(value, written[at] ?? {}, carriage);
    const unfit = form === '3.1' ? fittedTerms(value, to).lost : [];
    return withPaths(lost, unfit).map((finding) => ({
      ...finding,
      field: `${list}[${at}].${finding.field ?? ''}`,
    }));
  });
}
