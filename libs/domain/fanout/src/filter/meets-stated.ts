import type { Product, ProductFilters } from '@switchyard/protocol';
import { isJsonObject, withoutEndSlashes, type JsonObject, type JsonValue } from '@switchyard/values';
import { formatTypesOf } from './format-types-of.js';
import { objectOf, objectsOf, overlaps, textsOf } from '../list-members.js';

/** Checks one filter against a product's own members; true if they do not state it. */
type Rule = (wanted: JsonValue, stated: JsonObject) => boolean;

/** Filters with a product list of the same name. One requested value in it is enough. */
const oneOf = [
  'countries',
  'video_placement_types',
  'audio_distribution_types',
  'sponsored_placement_types',
  'social_placement_surfaces',
] as const;

/** Metrics that every seller reports, even if it does not list them (reporting capabilities, 3.1). */
const implicitMetrics = ['impressions', 'spend'];

const rules: Readonly<Record<string, Rule>> = {
  ...Object.fromEntries(
    oneOf.map((name): [string, Rule] => [
      name,
      (wanted, stated) => overlaps(textsOf(stated[name]), textsOf(wanted)),
    ]),
  ),
  min_exposures: (wanted, { estimated_exposures: estimated }) =>
    typeof wanted !== 'number' || typeof estimated !== 'number' || estimated >= wanted,
  exclusivity: (wanted, { exclusivity }) => typeof exclusivity !== 'string' || exclusivity === wanted,
  signal_targeting: (_wanted, { signal_targeting_allowed: allowed }) => allowed !== false,
  required_metrics(wanted, product) {
    const reported = objectOf(product['reporting_capabilities'])['available_metrics'];
    if (!Array.isArray(reported)) return true;
    const all = [...implicitMetrics, ...textsOf(reported)];
    return textsOf(wanted).every((metric) => all.includes(metric));
  },
  required_vendor_metrics(wanted, product) {
    const reported = objectOf(product['reporting_capabilities'])['vendor_metrics'];
    if (!Array.isArray(reported)) return true;
    return objectsOf(wanted).every((pin) => objectsOf(reported).some((metric) => isPinned(metric, pin)));
  },
  trusted_match(wanted, product) {
    if (!isJsonObject(product['trusted_match'])) return true;
    const { providers, response_types: types } = product['trusted_match'];
    const { providers: among, response_types: oneOfTypes } = objectOf(wanted);
    const wantedProviders = objectsOf(among);
    const isMatched =
      !Array.isArray(providers) ||
      wantedProviders.length === 0 ||
      wantedProviders.some((pin) => objectsOf(providers).some((provider) => isMatcher(provider, pin)));
    return isMatched && overlaps(textsOf(types), textsOf(oneOfTypes));
  },
};

/**
 * True if a product's own members match the filters that Switchyard has no members for, in the buyer's original.
 * Filters that products do not state, such as regions, keywords or dates, are left to the seller.
 */
export function meetsStated(product: Product, filters: ProductFilters): boolean {
  const stated = product.original.value;
  if (!overlaps(formatTypesOf(product), filters.formatTypes)) return false;
  const requested = filters.original?.value ?? {};
  return Object.entries(requested).every(
    ([name, wanted]) =>
      wanted === null || !Object.hasOwn(rules, name) || (rules[name]?.(wanted, stated) ?? true),
  );
}

/** A pin has a vendor, a metric, or both. A vendor is identified by its domain and, if the pin has one, its brand. */
function isPinned(reported: JsonObject, pin: JsonObject): boolean {
  const [vendor, wanted] = [objectOf(reported['vendor']), objectOf(pin['vendor'])];
  const isVendor = ['domain', 'brand_id'].every(
    (name) => wanted[name] === undefined || wanted[name] === vendor[name],
  );
  return isVendor && (pin['metric_id'] === undefined || pin['metric_id'] === reported['metric_id']);
}

function isMatcher(reported: JsonObject, pin: JsonObject): boolean {
  const isAble = ['context_match', 'identity_match'].every(
    (name) => pin[name] !== true || reported[name] !== false,
  );
  return isAble && addressOf(reported['agent_url']) === addressOf(pin['agent_url']);
}

function addressOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? withoutEndSlashes(value) : '';
}
