import { isJsonObject, type JsonObject } from '@switchyard/values';

/**
 * Says of every package that it has no snapshot, where the caller asked for one. Figures of ours come from reports and
 * pulls of delivery, which are billing facts with an age; near-real-time readings of a platform are neither, so no
 * seller is asked for them. The reason is the one that release 3.x has for it.
 */
export function withoutSnapshots(payload: JsonObject, asked: boolean): JsonObject {
  const { media_buys: buys } = payload;
  if (!asked || !Array.isArray(buys)) return payload;
  return { ...payload, media_buys: buys.map((buy) => (isJsonObject(buy) ? withReasons(buy) : buy)) };
}

function withReasons(buy: JsonObject): JsonObject {
  const { packages } = buy;
  if (!Array.isArray(packages)) return buy;
  const reason = { snapshot_unavailable_reason: 'SNAPSHOT_UNSUPPORTED' };
  return { ...buy, packages: packages.map((one) => (isJsonObject(one) ? { ...one, ...reason } : one)) };
}
