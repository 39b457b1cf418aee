import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { Form } from '../../versions/wire-profile.js';
import { pacings } from './package-members.js';
import { member, objectAt } from '../../message/pick.js';
import { projectTargeting, readTargeting } from '../targeting/targeting.js';

/** One member of a package: its check, and the forms whose answers have it. */
interface Term {
  readonly isOne: (value: JsonValue) => boolean;
  readonly forms: readonly Form[];
}

const modern: readonly Form[] = ['3.0', '3.1'];
const published: readonly Form[] = ['2.5', '3.0', '3.1'];
const only31: readonly Form[] = ['3.1'];

const isText = (value: JsonValue): boolean => typeof value === 'string' && value !== '';
const isMoment = (value: JsonValue): boolean => typeof value === 'string' && !Number.isNaN(Date.parse(value));
const isAmount = (value: JsonValue): boolean => typeof value === 'number' && value >= 0;
const listOf =
  (isItem: (item: JsonObject) => boolean) =>
  (value: JsonValue): boolean =>
    Array.isArray(value) && value.every((item) => isJsonObject(item) && isItem(item));
const hasTexts =
  (...names: readonly string[]) =>
  (item: JsonObject): boolean =>
    names.every((name) => isText(item[name] ?? null));

/**
 * Terms of a package beside its product and budget, by their names in 3.x (docs/protocol/media-buys.md#packages). A
 * member of the wrong type is ignored: an answer that repeats it would be invalid.
 */
const terms: Readonly<Record<string, Term>> = {
  pacing: {
    isOne: (value) => pacings.some((word) => word === value),
    forms: published,
  },
  bid_price: { isOne: isAmount, forms: ['service', ...published] },
  impressions: { isOne: isAmount, forms: published },
  start_time: { isOne: isMoment, forms: modern },
  end_time: { isOne: isMoment, forms: modern },
  creative_deadline: { isOne: isMoment, forms: modern },
  targeting_overlay: { isOne: isJsonObject, forms: ['service', ...published] },
  format_ids: { isOne: listOf(hasTexts('agent_url', 'id')), forms: modern },
  catalogs: { isOne: listOf(hasTexts('type')), forms: modern },
  optimization_goals: { isOne: listOf(hasTexts('kind')), forms: modern },
  measurement_terms: { isOne: areMeasurementTerms, forms: modern },
  performance_standards: { isOne: listOf(isStandard), forms: modern },
  agency_estimate_number: { isOne: isText, forms: modern },
  price_breakdown: { isOne: isJsonObject, forms: modern },
  committed_metrics: { isOne: listOf(hasTexts('scope', 'metric_id')), forms: only31 },
  format_option_refs: { isOne: listOf(() => true), forms: only31 },
  format_kind: { isOne: isText, forms: only31 },
  params: { isOne: isJsonObject, forms: only31 },
};

/**
 * What only a seller reports of a package: its assigned creatives, and the formats that still lack one
 * (docs/protocol/media-buys.md#packages). A buyer's requests for creatives are read elsewhere, so these are in answers
 * only.
 */
const sellersWords: Readonly<Record<string, Term>> = {
  creative_assignments: { isOne: listOf(isAssignment), forms: published },
  format_ids_to_provide: { isOne: listOf(hasTexts('agent_url', 'id')), forms: published },
};

/** The names of the members that only a seller reports. */
export const wordsOfSellers: readonly string[] = Object.keys(sellersWords);

/** Reads the terms of a package in an answer, and what only its seller reports, in the words of 3.x. */
export function readReportedPackage(value: JsonObject): JsonObject {
  const reported = Object.entries(sellersWords).flatMap(([name, { isOne }]) => {
    const word = member(value, name);
    return word !== undefined && isOne(word) ? [[name, word] as const] : [];
  });
  return { ...readPackageTerms(value), ...Object.fromEntries(reported) };
}

/** Reads the terms of a package in a request or an answer, in the words of 3.x. */
export function readPackageTerms(value: JsonObject): JsonObject {
  const targeting = objectAt(value, 'targeting_overlay');
  const reported =
    targeting === undefined ? value : { ...value, targeting_overlay: readTargeting(targeting) };
  return Object.fromEntries(
    Object.entries(terms).flatMap(([name, { isOne }]) => {
      const term = member(reported, name);
      return term !== undefined && isOne(term) ? [[name, term]] : [];
    }),
  );
}

/** The terms that an answer of this form has. 3.x also has members that are not terms; no other form does. */
export function projectPackageTerms(received: JsonObject, to: Form): JsonObject {
  const shown = Object.entries(received).filter(([name]) => formsOf(name).includes(to));
  const members = structuredClone(Object.fromEntries(shown));
  const targeting = objectAt(members, 'targeting_overlay');
  if (targeting === undefined) return members;
  return { ...members, targeting_overlay: projectTargeting(targeting, to).targeting };
}

function formsOf(name: string): readonly Form[] {
  return (terms[name] ?? sellersWords[name])?.forms ?? modern;
}

/** A weight is at most 100, and a list of placements is not empty. */
function isAssignment(item: JsonObject): boolean {
  const { creative_id: id, weight, placement_ids: places } = item;
  const isShare = weight === undefined || (isAmount(weight) && Number(weight) <= 100);
  const isPlaced =
    places === undefined || (Array.isArray(places) && places.length > 0 && places.every(isText));
  return isText(id ?? null) && isShare && isPlaced;
}

/** Who measures, and what compensates for a shortfall: each must be complete or absent. */
function areMeasurementTerms(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  const { billing_measurement: billing, makegood_policy: makegood } = value;
  return (
    (billing === undefined || (isJsonObject(billing) && isJsonObject(billing['vendor']))) &&
    (makegood === undefined || (isJsonObject(makegood) && Array.isArray(makegood['available_remedies'])))
  );
}

function isStandard(item: JsonObject): boolean {
  return (
    isText(item['metric'] ?? null) && isAmount(item['threshold'] ?? null) && isJsonObject(item['vendor'])
  );
}
