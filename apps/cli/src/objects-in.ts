import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { cell } from './plain.js';

/** The objects of a list; whatever else a member holds counts as an empty list. */
export function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** One row per seller that was asked: at the top in the service form, under `ext.switchyard` elsewhere. */
export function sellerRows(body: JsonObject): readonly JsonObject[] {
  const ext = isJsonObject(body['ext']) ? body['ext']['switchyard'] : undefined;
  return objectsIn(body['sellers'] ?? (isJsonObject(ext) ? ext['sellers'] : undefined));
}

/** What went wrong at sellers that refused or failed, a line each; undefined where none did. */
export function refusedSellers(body: JsonObject): string | undefined {
  const lines = sellerRows(body)
    .filter(({ status }) => status === 'refused' || status === 'failed')
    .map(({ seller, status, reason }) => `${cell(seller)} ${cell(status)}: ${cell(reason)}`);
  return lines.length === 0 ? undefined : lines.join('\n');
}
