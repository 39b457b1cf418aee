import type { JsonObject, JsonValue } from '@switchyard/values';
import { isJsonObject } from '@switchyard/values';

type List = 'products' | 'signals';

/** What the published schemas demand of an item, so that it is shown whatever was asked for, and whose it is. */
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

/** A list's items with the members that the buyer asked for, and those that make an item. */
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
