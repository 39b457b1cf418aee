import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { listAt, objectAt, textAt } from '../../message/pick.js';

const mostMetrics = 50;
/** A metric's name that is safe to use in our texts. Any other name stays only in the seller's row. */
const plainName = /^[\w.-]{1,128}$/;

/**
 * The promised metrics that a row does not have (3.1), without duplicates; a vendor's own metric has its domain in
 * front. A missing metric is not zero (docs/protocol/delivery.md#unknown-is-not-zero).
 */
export function missingMetricsOf(row: JsonObject): readonly string[] {
  const names = (listAt(row, 'missing_metrics') ?? []).flatMap((one) => nameOf(one) ?? []);
  return [...new Set(names)].slice(0, mostMetrics);
}

function nameOf(value: JsonValue): string | undefined {
  if (!isJsonObject(value)) return undefined;
  const metric = textAt(value, 'metric_id');
  const vendor = textAt(objectAt(value, 'vendor'), 'domain');
  if (metric === undefined || !plainName.test(metric)) return undefined;
  return vendor !== undefined && plainName.test(vendor) ? `${vendor}:${metric}` : metric;
}
