import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { cell } from './plain.js';

/** The objects of a list; any other value counts as an empty list. */
export function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** One row per queried seller: at the top in the service form, under `ext.switchyard` elsewhere. */
export function sellerRows(body: JsonObject): readonly JsonObject[] {
  const ext = isJsonObject(body['ext']) ? body['ext']['switchyard'] : undefined;
  return objectsIn(body['sellers'] ?? (isJsonObject(ext) ? ext['sellers'] : undefined));
}

/** The errors of sellers that refused or failed, one per line; undefined if there are none. */
export function refusedSellers(body: JsonObject): string | undefined {
  const lines = sellerRows(body)
    .filter(({ status }) => status === 'refused' || status === 'failed')
    .map(({ seller, status, reason }) => `${cell(seller)} ${cell(status)}: ${cell(reason)}`);
  return lines.length === 0 ? undefined : lines.join('\n');
}
