import { defined, isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { listAt, objectsAt, textAt } from '../../../message/pick.js';
import { keep, whole, type Shape } from './keep.js';

const price: Shape = {
  ...whole('pricing_option_id', 'pricing_model', 'currency', 'fixed_price', 'floor_price', 'price_guidance'),
  ...whole('min_spend_per_package', 'price_breakdown', 'eligible_adjustments', 'parameters', 'event_type'),
  ...whole('custom_event_name', 'event_source_id', 'commission_rate', 'commission_basis_description'),
};

const vendor: Shape = whole('domain', 'brand_id', 'countries');

const product: Shape = {
  ...whole('product_id', 'name', 'description', 'publisher_properties', 'channels', 'delivery_type'),
  ...whole('video_placement_types', 'audio_distribution_types', 'sponsored_placement_types'),
  ...whole('social_placement_surfaces', 'exclusivity', 'catalog_types', 'signal_targeting_allowed'),
  ...whole('max_optimization_goals', 'brief_relevance', 'expires_at', 'ext'),
  catalog_match: whole('matched_gtins', 'matched_ids', 'matched_count', 'submitted_count'),
  format_options: [
    {
      ...whole('format_option_id', 'publisher_domain', 'display_name', 'applies_to_channels', 'format_kind'),
      ...whole('sample_render_url', 'seller_preference', 'canonical_formats_only', 'experimental', 'params'),
    },
  ],
  pricing_options: [price],
  reporting_capabilities: {
    ...whole('available_reporting_frequencies', 'expected_delay_minutes', 'timezone', 'supports_webhooks'),
    ...whole('available_metrics', 'supports_creative_breakdown', 'supports_keyword_breakdown'),
    ...whole('supports_geo_breakdown', 'supports_device_type_breakdown', 'measurement_windows'),
    ...whole('supports_device_platform_breakdown', 'supports_audience_breakdown', 'date_range_support'),
    ...whole('supports_placement_breakdown', 'windowed_pull_granularities'),
    vendor_metrics: [{ vendor, metric_id: true }],
  },
  measurement_terms: {
    billing_measurement: {
      vendor,
      ...whole('max_variance_percent', 'measurement_window', 'finalization_deadline_hours'),
    },
    makegood_policy: whole('available_remedies'),
  },
  performance_standards: [{ vendor, ...whole('metric', 'threshold', 'standard') }],
};

/** A product in the closed shape of the lifecycle tasks. What that has no place for is added to `lost`. */
export function compactProduct(full: JsonObject, lost: Set<string>): JsonObject {
  const at = 'products[]';
  const kept = keep(full, product, at, lost);
  const { publisher_properties, format_options, pricing_options, reporting_capabilities, ...rest } = {
    ...(isJsonObject(kept) ? kept : {}),
  };
  return defined({
    ...rest,
    publisher_properties: usable(publisher_properties, isOfOnePublisher, `${at}.publisher_properties`, lost),
    format_options: usable(format_options, isPlainFormat, `${at}.format_options`, lost),
    pricing_options: usable(pricing_options, isPrice, `${at}.pricing_options`, lost),
    reporting_capabilities: hasAll(reporting_capabilities, reportingMembers)
      ? reporting_capabilities
      : undefined,
  });
}

/** Products of an answer in that shape. */
export function compactProducts(payload: JsonObject, lost: Set<string>): JsonObject[] {
  return objectsAt(payload, 'products').map((full) => compactProduct(full, lost));
}

/** Items that the shape can hold; none is written as an empty list. */
function usable(
  list: JsonValue | undefined,
  isUsable: (item: JsonObject) => boolean,
  at: string,
  lost: Set<string>,
): JsonValue[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const items = list.filter((item) => isJsonObject(item) && isUsable(item));
  if (items.length < list.length) lost.add(at);
  return items.length === 0 ? undefined : items;
}

const reportingMembers = [
  ...['available_reporting_frequencies', 'expected_delay_minutes', 'timezone', 'supports_webhooks'],
  ...['available_metrics', 'date_range_support'],
];

function hasAll(value: JsonValue | undefined, names: readonly string[]): boolean {
  return isJsonObject(value) && names.every((name) => value[name] !== undefined);
}

function isOfOnePublisher(item: JsonObject): boolean {
  return textAt(item, 'publisher_domain') !== undefined && listAt(item, 'publisher_domains') === undefined;
}

/** A custom format needs the schema of its platform, for which there is no place here. */
function isPlainFormat(item: JsonObject): boolean {
  return hasAll(item, ['format_kind', 'params']) && item['format_kind'] !== 'custom';
}

const models = ['cpm', 'vcpm', 'cpc', 'cpcv', 'cpv', 'cpp', 'cpa', 'revenue_share', 'flat_rate', 'time'];

/** What each model must say beside its price. */
const requiredBy: Readonly<Record<string, readonly string[]>> = {
  cpa: ['event_type', 'fixed_price'],
  revenue_share: ['event_type', 'event_source_id', 'commission_rate', 'commission_basis_description'],
  cpv: ['parameters'],
  cpp: ['parameters'],
  time: ['parameters'],
};

function isPrice(option: JsonObject): boolean {
  const model = textAt(option, 'pricing_model') ?? '';
  const isSingle = option['fixed_price'] === undefined || option['floor_price'] === undefined;
  const needed = ['pricing_option_id', 'currency', ...(requiredBy[model] ?? [])];
  return isSingle && models.includes(model) && hasAll(option, needed);
}
