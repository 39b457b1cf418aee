import type { Form } from '../../versions/wire-profile.js';
import { formAt, type Peer } from './peers.js';

/** A member of a request, with everything inside it, and a form that cannot carry all of it. */
export interface RequestLimit {
  readonly form: Form;
  /** Lists have `[]`. */
  readonly at: string;
}

const limits = (forms: readonly Form[], paths: readonly string[]): readonly RequestLimit[] =>
  forms.flatMap((form) => paths.map((at) => ({ form, at })));

/** Targeting of packages, when a buy is created or updated. */
const inOverlay = (names: readonly string[]): readonly string[] =>
  names.map((name) => `packages[].targeting_overlay.${name}`);
const targetingSince30 = inOverlay([
  'age_restriction',
  'audience_exclude',
  'audience_include',
  'collection_list',
  'collection_list_exclude',
  'daypart_targets',
  'device_platform',
  'device_type',
  'device_type_exclude',
  'frequency_cap',
  'geo_countries_exclude',
  'geo_metros',
  'geo_metros_exclude',
  'geo_postal_areas',
  'geo_postal_areas_exclude',
  'geo_proximity',
  'geo_regions_exclude',
  'keyword_targets',
  'language',
  'negative_keywords',
  'property_list',
  'store_catchments',
]);
const targetingOfService = inOverlay(['geo_metro_any_of', 'geo_postal_code_any_of', 'geo_region_any_of']);

/** Members of requests that sellers' forms cannot carry, by task. Every row is needed. */
export const requestLimits: Readonly<Record<string, readonly RequestLimit[]>> = {
  activate_signal: [...limits(['service', '2.5'], ['action', 'pricing_option_id'])],
  create_media_buy: [
    ...limits(
      ['service', '2.5', '3.0', '3.1'],
      ['artifact_webhook', 'brand.data_subject_contestation', 'brand.industries', 'packages[].ext'],
    ),
    ...limits(
      ['service', '2.5', '3.0'],
      ['brand.brand_kit_override', 'packages[].committed_metrics', 'packages[].format_kind', 'paused'],
    ),
    ...limits(['2.5', '3.0', '3.1'], ['packages[].creatives[].assets', 'packages[].creatives[].name']),
    ...limits(
      ['service', '2.5'],
      [
        'advertiser_industry',
        'agency_estimate_number',
        'brand.brand_id',
        'invoice_recipient',
        'io_acceptance',
        'packages[].agency_estimate_number',
        'packages[].buyer_ref',
        'packages[].catalogs',
        'packages[].creative_assignments',
        'packages[].end_time',
        'packages[].measurement_terms',
        'packages[].optimization_goals',
        'packages[].performance_standards',
        'packages[].start_time',
        'plan_id',
        'proposal_id',
        'total_budget',
      ],
    ),
    ...limits(['3.0', '3.1'], ['brand.domain', 'brand_manifest', ...targetingOfService]),
    ...limits(['2.5', '3.0'], ['packages[].creatives[].format_kind']),
    ...limits(['3.0'], ['packages[].optimization_goals']),
    ...limits(['service'], ['packages[].creatives', 'packages[].impressions', 'packages[].paused']),
    ...limits(
      ['2.5'],
      [
        'packages[].creatives[].industry_identifiers',
        'packages[].creatives[].provenance',
        'packages[].creatives[].status',
        ...targetingSince30,
      ],
    ),
  ],
  get_media_buy_delivery: [
    ...limits(['service', '2.5', '3.0', '3.1'], ['include_window_breakdown']),
    ...limits(
      ['service', '2.5'],
      ['attribution_window', 'include_package_daily_breakdown', 'reporting_dimensions'],
    ),
    ...limits(['3.0', '3.1'], ['reporting_dimensions.geo']),
    ...limits(['2.5', '3.0'], ['time_granularity']),
  ],
  get_products: [
    ...limits(
      ['service', '2.5', '3.0', '3.1'],
      ['brand.data_subject_contestation', 'brand.industries', 'filters.required_geo_targeting', 'refine'],
    ),
    ...limits(
      ['service', '2.5', '3.0'],
      [
        'brand.brand_kit_override',
        'catalog',
        'filters.audio_distribution_types',
        'filters.postal_areas',
        'filters.pricing_currencies',
        'filters.required_metrics',
        'filters.required_performance_standards',
        'filters.required_vendor_metrics',
        'filters.signal_targeting',
        'filters.social_placement_surfaces',
        'filters.sponsored_placement_types',
        'filters.video_placement_types',
      ],
    ),
    ...limits(['2.5', '3.0', '3.1'], ['filters.channels']),
    ...limits(
      ['service', '2.5'],
      [
        'brand.brand_id',
        'filters.exclusivity',
        'filters.ext',
        'filters.geo_proximity',
        'filters.keywords',
        'filters.metros',
        'filters.regions',
        'filters.required_axe_integrations',
        'filters.required_features',
        'filters.trusted_match',
        'preferred_delivery_types',
        'property_list',
        'required_policies',
      ],
    ),
    ...limits(['3.0', '3.1'], ['brand_manifest', 'filters.format_types']),
    ...limits(
      ['service'],
      [
        'filters.end_date',
        'filters.is_fixed_price',
        'filters.min_exposures',
        'filters.standard_formats_only',
        'filters.start_date',
      ],
    ),
  ],
  get_signals: [
    ...limits(
      ['service', '2.5', '3.0', '3.1'],
      ['filters.ext', 'if_pricing_version', 'if_wholesale_feed_version'],
    ),
    ...limits(['service', '2.5', '3.0'], ['discovery_mode', 'signal_refs']),
    ...limits(['service', '2.5'], ['filters.max_percent', 'signal_ids']),
  ],
  list_creative_formats: [
    ...limits(['service', '2.5', '3.0'], ['property_id', 'publisher_domain']),
    ...limits(
      ['service', '2.5'],
      [
        'disclosure_persistence',
        'disclosure_positions',
        'input_format_ids',
        'output_format_ids',
        'wcag_level',
      ],
    ),
    ...limits(['3.0', '3.1'], ['format_types', 'type']),
    ...limits(['service', '2.5'], ['asset_types']),
    ...limits(
      ['service'],
      ['is_responsive', 'max_height', 'max_width', 'min_height', 'min_width', 'name_search'],
    ),
  ],
  provide_performance_feedback: [...limits(['service', '2.5', '3.0', '3.1'], ['account'])],
  report_usage: [
    ...limits(
      ['3.0'],
      ['usage[].build_variant_id', 'usage[].final', 'usage[].finalized_at', 'usage[].measurement_window'],
    ),
  ],
  sync_creatives: [
    ...limits(['service', '2.5', '3.0', '3.1'], ['creatives[].name']),
    ...limits(['2.5', '3.0', '3.1'], ['creatives[].assets']),
    ...limits(
      ['service', '2.5', '3.0'],
      [
        'creatives[].format_kind',
        'creatives[].format_option_ref',
        'creatives[].industry_identifiers',
        'creatives[].placement_refs',
      ],
    ),
    ...limits(['service', '2.5', '3.0'], ['creatives[].status']),
    ...limits(['service', '2.5'], ['assignments', 'creatives[].provenance']),
    ...limits(
      ['service'],
      [
        'creatives[].approved',
        'creatives[].inputs',
        'creatives[].placement_ids',
        'creatives[].tags',
        'creatives[].weight',
        'validation_mode',
      ],
    ),
  ],
  update_media_buy: [
    ...limits(['service', '2.5', '3.0'], ['packages[].catalogs', 'packages[].optimization_goals']),
    ...limits(
      ['service', '3.0', '3.1'],
      ['packages[].creatives[].approved', 'packages[].creatives[].assets', 'packages[].creatives[].name'],
    ),
    ...limits(
      ['service', '2.5'],
      [
        'invoice_recipient',
        'packages[].creative_assignments',
        'packages[].creative_ids',
        'packages[].ext',
        'packages[].keyword_targets_add',
        'packages[].keyword_targets_remove',
        'packages[].negative_keywords_add',
        'packages[].negative_keywords_remove',
        'revision',
      ],
    ),
    ...limits(
      ['3.0', '3.1'],
      ['new_packages[].creatives[].assets', 'new_packages[].creatives[].name', ...targetingOfService],
    ),
    ...limits(
      ['service', '3.0'],
      [
        'packages[].creatives[].format_kind',
        'packages[].creatives[].format_option_ref',
        'packages[].creatives[].industry_identifiers',
        'packages[].creatives[].inputs',
        'packages[].creatives[].placement_ids',
        'packages[].creatives[].placement_refs',
        'packages[].creatives[].provenance',
        'packages[].creatives[].status',
        'packages[].creatives[].tags',
        'packages[].creatives[].weight',
      ],
    ),
    ...limits(
      ['2.5', '3.0'],
      [
        'packages[].targeting_overlay.signal_targeting',
        'packages[].targeting_overlay.signal_targeting_groups',
      ],
    ),
    ...limits(
      ['3.0'],
      [
        'new_packages[].creatives[].format_kind',
        'new_packages[].optimization_goals',
        'packages[].targeting_overlay.geo_postal_areas',
        'packages[].targeting_overlay.geo_postal_areas_exclude',
      ],
    ),
    ...limits(
      ['2.5'],
      [
        'canceled',
        'cancellation_reason',
        'new_packages',
        'packages[].bid_price',
        'packages[].budget',
        'packages[].canceled',
        'packages[].cancellation_reason',
        'packages[].creatives',
        'packages[].end_time',
        'packages[].impressions',
        'packages[].pacing',
        'packages[].start_time',
        'reporting_webhook',
        ...targetingSince30,
      ],
    ),
    ...limits(
      ['service'],
      [
        'new_packages[].agency_estimate_number',
        'new_packages[].buyer_ref',
        'new_packages[].catalogs',
        'new_packages[].creative_assignments',
        'new_packages[].creatives',
        'new_packages[].end_time',
        'new_packages[].ext',
        'new_packages[].impressions',
        'new_packages[].measurement_terms',
        'new_packages[].optimization_goals',
        'new_packages[].paused',
        'new_packages[].performance_standards',
        'new_packages[].start_time',
      ],
    ),
  ],
};

/** Returns the row for a path; undefined if there is none. */
export function isInTable(task: string, to: Peer, path: string): RequestLimit | undefined {
  const form = formAt(to);
  return requestLimits[task]?.find((limit) => limit.form === form && isBelow(limit.at, path));
}

function isBelow(at: string, path: string): boolean {
  return path === at || path.startsWith(`${at}.`) || path.startsWith(`${at}[`);
}
