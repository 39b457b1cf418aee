import { isObject, listOf, objectOf, textOf, type JsonObject } from '../json.js';
import type { ReceivedPost } from './receiver.js';

/** The delivery reports among the posts that speak of this buy, in order of arrival. */
export function reportsOf(posts: readonly ReceivedPost[], mediaBuyId: string): readonly JsonObject[] {
  return posts
    .filter(({ body }) => body['task_type'] === 'media_buy_delivery')
    .map(({ body }) => objectOf(body['result']) ?? {})
    .filter((result) => rowOf(result)['media_buy_id'] === mediaBuyId);
}

export function rowOf(result: JsonObject): JsonObject {
  const row = listOf(result['media_buy_deliveries'])?.[0];
  return isObject(row) ? row : {};
}

/** Micros per day that the reports leave standing: of each period, the version with the highest sequence number. */
export function lastVersions(reports: readonly JsonObject[]): ReadonlyMap<string, bigint> {
  const latest = new Map<string, JsonObject>();
  for (const report of reports) {
    const day = dayOf(report);
    const known = latest.get(day);
    if (!known || Number(known['sequence_number']) < Number(report['sequence_number']))
      latest.set(day, report);
  }
  return new Map([...latest].map(([day, report]) => [day, microsOfSpend(rowOf(report)['totals'])]));
}

export function dayOf(report: JsonObject): string {
  return (textOf(objectOf(report['reporting_period'])?.['start']) ?? '').slice(0, 10);
}

function microsOfSpend(totals: unknown): bigint {
  const spend = isObject(totals) ? Number(totals['spend']).toFixed(6) : '0';
  return BigInt(spend.replace('.', ''));
}
