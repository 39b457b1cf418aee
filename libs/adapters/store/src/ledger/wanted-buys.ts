import { readPeriod, type Observation } from '@switchyard/ledger';
import type { Instant } from '@switchyard/values';

/** A stretch of time, half-open. */
export interface Window {
  readonly start: Instant;
  readonly end: Instant;
}

/** The buys that a batch names, once each and as columns, with the stretch of time that it reports on. */
export interface WantedBuys {
  readonly connections: readonly string[];
  readonly ids: readonly string[];
  /** Absent where no period of a buy can be read. */
  readonly windows: readonly (Window | undefined)[];
}

export function wantedBuys(batch: readonly Observation[]): WantedBuys {
  const wanted = new Map<string, { connectionId: string; mediaBuyId: string; window: Window | undefined }>();
  for (const { connectionId, report } of batch) {
    const period = readPeriod(report.period);
    for (const { mediaBuyId } of report.deliveries) {
      // The database has no such texts, and would refuse the whole batch for one.
      if (mediaBuyId.includes('\u0000')) continue;
      const key = `${connectionId} ${mediaBuyId}`;
      const known = wanted.get(key)?.window;
      const window = period.ok ? widened(known, period.value) : known;
      wanted.set(key, { connectionId, mediaBuyId, window });
    }
  }
  const each = [...wanted.values()];
  return {
    connections: each.map(({ connectionId }) => connectionId),
    ids: each.map(({ mediaBuyId }) => mediaBuyId),
    windows: each.map(({ window }) => window),
  };
}

/** The shortest stretch that holds both. */
export function widened(known: Window | undefined, { start, end }: Window): Window {
  if (known === undefined) return { start, end };
  return { start: Math.min(known.start, start), end: Math.max(known.end, end) };
}
