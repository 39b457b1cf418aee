import { defined, type JsonObject, type JsonValue } from '@switchyard/values';
import type { Product } from './product.js';
import type { Form } from '../../versions/wire-profile.js';
import { objectAt, textsAt } from '../../message/pick.js';

/** Metrics of 2.5. */
const metrics25 = new Set([
  ...['impressions', 'spend', 'clicks', 'ctr', 'video_completions', 'completion_rate', 'conversions'],
  ...['viewability', 'engagement_rate'],
]);
const inBoth3x = [
  ...['impressions', 'spend', 'clicks', 'ctr', 'completion_rate', 'conversions', 'conversion_value', 'roas'],
  ...[
    'cost_per_acquisition',
    'new_to_brand_rate',
    'viewability',
    'engagement_rate',
    'views',
    'completed_views',
  ],
  ...['leads', 'reach', 'frequency', 'grps', 'quartile_data', 'dooh_metrics', 'cost_per_click'],
];
const metrics30 = new Set([...inBoth3x, 'video_completions']);
const metrics31 = new Set([
  ...inBoth3x,
  ...['engagements', 'follows', 'saves', 'profile_visits', 'cost_per_completed_view', 'cpm', 'downloads'],
  ...['units_sold', 'new_to_brand_units', 'plays', 'incremental_sales_lift', 'brand_lift', 'foot_traffic'],
  ...['conversion_lift', 'brand_search_lift'],
]);
const metricsOf = { '2.5': metrics25, '3.0': metrics30, '3.1': metrics31 } as const;
/** One metric was renamed in 3.1. */
const otherName: Readonly<Record<string, string>> = {
  video_completions: 'completed_views',
  completed_views: 'video_completions',
};

/** Systems of postal areas of 3.0, by country. */
export const postalSystems: Readonly<Record<string, readonly string[]>> = {
  US: ['us_zip', 'us_zip_plus_four'],
  GB: ['gb_outward', 'gb_full'],
  CA: ['ca_fsa', 'ca_full'],
  DE: ['de_plz'],
  FR: ['fr_code_postal'],
  AU: ['au_postcode'],
  CH: ['ch_plz'],
  AT: ['at_plz'],
};

/** A product's reporting capabilities in a form; required members that the seller did not give get the usual values. */
export function reportingFor(product: Product, to: Form): JsonValue | undefined {
  const { form, value } = product.original;
  const received = objectAt(value, 'reporting_capabilities');
  const promised = promisesOf(product);
  // The `service` form requires nothing, so no defaults are added.
  if (to === 'service') {
    const known = { ...received, ...promised };
    return Object.keys(known).length === 0 ? undefined : known;
  }
  const capabilities = {
    expected_delay_minutes: 240,
    timezone: 'UTC',
    supports_webhooks: false,
    available_metrics: ['impressions', 'spend'],
    date_range_support: 'date_range',
    available_reporting_frequencies: ['daily'],
    ...received,
    ...promised,
  };
  return form === to ? capabilities : inWordsOf(capabilities, to);
}

function promisesOf(product: Product): JsonObject {
  const { reportingFrequencies, expectedDelayMinutes, windowedPullGranularities } = product;
  return defined({
    available_reporting_frequencies:
      reportingFrequencies.length === 0 ? undefined : [...reportingFrequencies],
    expected_delay_minutes: expectedDelayMinutes,
    windowed_pull_granularities:
      windowedPullGranularities === undefined ? undefined : [...windowedPullGranularities],
  });
}

/** Metrics by the names of a release, without duplicates; unknown metrics are left out. */
export function metricsIn(received: readonly string[], to: Exclude<Form, 'service'>): readonly string[] {
  const known = metricsOf[to];
  const metrics = received
    .map((metric) =>
      known.has(metric)
        ? metric
        : ((Object.hasOwn(otherName, metric) ? otherName[metric] : undefined) ?? metric),
    )
    .filter((metric) => known.has(metric));
  return [...new Set(metrics)];
}

function inWordsOf(capabilities: JsonObject, to: Exclude<Form, 'service'>): JsonObject {
  const geo = objectAt(capabilities, 'supports_geo_breakdown');
  return {
    ...capabilities,
    available_metrics: [...metricsIn(textsAt(capabilities, 'available_metrics'), to)],
    ...(geo === undefined ? {} : { supports_geo_breakdown: to === '3.1' ? geo : withPlainAreas(geo) }),
  };
}

/** Before 3.1 a country and its system of postal areas are one name with a boolean. */
function withPlainAreas(geo: JsonObject): JsonObject {
  const areas = objectAt(geo, 'postal_area');
  if (areas === undefined) return geo;
  const plain = Object.entries(areas).flatMap(([name, value]): [string, boolean][] => {
    if (typeof value === 'boolean') return [[name, value]];
    const known = new Set(postalSystems[name]);
    const words = textsAt(areas, name).map((system) => `${name.toLowerCase()}_${system}`);
    return words.filter((word) => known.has(word)).map((word) => [word, true]);
  });
  return { ...geo, postal_area: Object.fromEntries(plain) };
}
