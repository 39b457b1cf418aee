import type { JsonObject, JsonValue } from '@switchyard/values';
import { isJsonObject } from '@switchyard/values';

/** What the published schemas demand of a product, so that it is shown whatever was asked for, and whose it is. */
const always: ReadonlySet<string> = new Set([
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
]);

/** Products with the members that the buyer asked for, and those that make a product. */
export function shownFields(payload: JsonObject, fields: readonly string[]): JsonObject {
  const { products } = payload;
  if (!Array.isArray(products)) return payload;
  const wanted = new Set(fields);
  const shown = products.map((product): JsonValue =>
    isJsonObject(product)
      ? Object.fromEntries(Object.entries(product).filter(([name]) => always.has(name) || wanted.has(name)))
      : product,
  );
  return { ...payload, products: shown };
}
