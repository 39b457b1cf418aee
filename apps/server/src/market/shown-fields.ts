import type { JsonObject, JsonValue } from '@switchyard/values';
import { isJsonObject } from '@switchyard/values';

type List = 'products' | 'signals';

/** Members that the published schemas require of an item, shown with every selection, and those that name its owner. */
const always: Readonly<Record<List, ReadonlySet<string>>> = {
  signals: new Set([
    'signal_agent_segment_id',
    'signal_id',
    'signal_ref',
    'name',
    'description',
    'signal_type',
    'data_provider',
    'coverage_percentage',
    'deployments',
    'pricing',
    'pricing_options',
    'ext',
  ]),
  products: new Set([
    'product_id',
    'name',
    'description',
    'publisher_properties',
    'delivery_type',
    'delivery_measurement',
    'pricing_options',
    'format_ids',
    'format_options',
    'reporting_capabilities',
    'ext',
  ]),
};

/** A list's items with the members that the buyer selected, and the required ones. */
export function shownFields(payload: JsonObject, list: List, fields: readonly string[]): JsonObject {
  const items = payload[list];
  if (!Array.isArray(items)) return payload;
  const wanted = new Set(fields);
  const shown = items.map((item): JsonValue =>
    isJsonObject(item)
      ? Object.fromEntries(
          Object.entries(item).filter(([name]) => always[list].has(name) || wanted.has(name)),
        )
      : item,
  );
  return { ...payload, [list]: shown };
}
