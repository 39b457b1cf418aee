import {
  isJsonObject,
  ok,
  err,
  type Instant,
  type JsonObject,
  type JsonValue,
  type Result,
} from '@switchyard/values';

/** The brand to act for, and the operator that acts. */
export interface OperatorAct {
  /** Our own organization's domain. */
  readonly operator: string;
  readonly brandDomain: string;
  /** Empty if the request names the brand by its domain only. */
  readonly brandId: string;
  readonly at: Instant;
  /** Countries where the media will run, as two-letter codes; empty if the request names none. */
  readonly countries: readonly string[];
}

/** `not_listed`: the brand does not list our domain. The others: it lists our domain, but not for this act. */
export type OperatorFault =
  | 'not_listed'
  | 'other_brand'
  | 'other_scope'
  | 'not_yet_valid'
  | 'no_longer_valid'
  | 'other_country';

/** `countriesUnknown`: the brand allows some countries only, and the request names none. */
interface OperatorGranted {
  readonly countriesUnknown: boolean;
}

const faults = [
  'not_listed',
  'other_brand',
  'other_scope',
  'not_yet_valid',
  'no_longer_valid',
  'other_country',
] as const satisfies readonly OperatorFault[];

/**
 * Decides whether a brand's brand.json lets an operator buy media for it
 * (docs/protocol/accounts.md#operators-of-a-brand): domain, brand, scope, dates and country of one entry must match. A
 * brand may always act for itself. One matching entry is enough; if none matches, the fault is that of the entry that
 * passed the most checks. A value that cannot be read grants nothing.
 */
export function judgeOperator(document: JsonValue, act: OperatorAct): Result<OperatorGranted, OperatorFault> {
  if (act.operator.toLowerCase() === act.brandDomain.toLowerCase()) return ok({ countriesUnknown: false });
  let furthest = 0;
  for (const entry of operatorsFor(document, act.brandId)) {
    const fault = firstFault(entry, act, document);
    if (fault === undefined) {
      return ok({ countriesUnknown: entry['countries'] !== undefined && act.countries.length === 0 });
    }
    furthest = Math.max(furthest, faults.indexOf(fault));
  }
  return err(faults[furthest] ?? 'not_listed');
}

/** Whether a brand publishes a list of operators. */
export function namesOperators(document: JsonValue, brandId: string): boolean {
  return listsOf(document, brandId).some((list) => list !== undefined);
}

/** Returns the first list that exists: the brand's own list, then the list of its house. */
function operatorsFor(document: JsonValue, brandId: string): readonly JsonObject[] {
  const list = listsOf(document, brandId).find((candidate) => candidate !== undefined);
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

function listsOf(document: JsonValue, brandId: string): readonly (JsonValue | undefined)[] {
  if (!isJsonObject(document)) return [];
  const { brands, house } = document;
  const own = Array.isArray(brands)
    ? brands.filter(isJsonObject).find(({ id }) => id === brandId)
    : undefined;
  return [
    own?.['authorized_operators'],
    document['authorized_operators'],
    isJsonObject(house) ? house['authorized_operators'] : undefined,
  ];
}

function firstFault(entry: JsonObject, act: OperatorAct, document: JsonValue): OperatorFault | undefined {
  const { domain, brands, scopes, countries } = entry;
  if (typeof domain !== 'string' || domain.toLowerCase() !== act.operator.toLowerCase()) return 'not_listed';
  if (!includes(brands, ['*', ...brandIds(act, document)])) return 'other_brand';
  if (scopes !== undefined && !includes(scopes, ['all', 'media_buying'])) return 'other_scope';
  const from = instantOf(entry['valid_from'], 'start');
  if (from !== undefined && !(act.at >= from)) return 'not_yet_valid';
  const until = instantOf(entry['valid_until'], 'end');
  if (until !== undefined && !(act.at < until)) return 'no_longer_valid';
  const allowed =
    countries === undefined ? undefined : textsOf(countries).map((country) => country.toUpperCase());
  const isOutside =
    allowed !== undefined && act.countries.some((country) => !allowed.includes(country.toUpperCase()));
  return isOutside || allowed?.length === 0 ? 'other_country' : undefined;
}

/** If the request names no brand of a house, the only brand in the document is meant. */
function brandIds({ brandId }: OperatorAct, document: JsonValue): readonly string[] {
  if (brandId !== '') return [brandId];
  if (!isJsonObject(document)) return [];
  const { id, brands } = document;
  if (typeof id === 'string') return [id];
  const [only, another] = Array.isArray(brands) ? brands.filter(isJsonObject) : [];
  return another === undefined && typeof only?.['id'] === 'string' ? [only['id']] : [];
}

/** A date without a time means the whole day in UTC. An invalid date gives NaN, which fails every comparison. */
function instantOf(value: JsonValue | undefined, edge: 'start' | 'end'): Instant | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') return Number.NaN;
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(value);
  return Date.parse(value) + (isDay && edge === 'end' ? 86_400_000 : 0);
}

function includes(list: JsonValue | undefined, wanted: readonly string[]): boolean {
  return textsOf(list).some((text) => wanted.includes(text));
}

function textsOf(list: JsonValue | undefined): readonly string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}
