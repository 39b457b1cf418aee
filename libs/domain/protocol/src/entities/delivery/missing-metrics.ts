import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { listAt, objectAt, textAt } from '../../message/pick.js';

const mostMetrics = 50;
/** A name that can stand in a sentence of ours: what else a stranger writes there stays in its own row. */
const plainName = /^[\w.-]{1,128}$/;

/**
 * The metrics of a row that were promised for it and are not in it (3.1), each once, a vendor's own with its domain in
 * front. It is no figure: a metric that is missing is not zero (docs/protocol/delivery.md#unknown-is-not-zero).
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
