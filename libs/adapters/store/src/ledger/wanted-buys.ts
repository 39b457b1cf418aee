import { readPeriod, type Observation } from '@switchyard/ledger';
import type { Instant } from '@switchyard/values';

/** A half-open period. */
export interface Window {
  readonly start: Instant;
  readonly end: Instant;
}

/** The buys of a batch, each once and as columns, with the period that it reports on. */
export interface WantedBuys {
  readonly connections: readonly string[];
  readonly ids: readonly string[];
  /** Absent if no period of a buy can be read. */
  readonly windows: readonly (Window | undefined)[];
}

export function wantedBuys(batch: readonly Observation[]): WantedBuys {
  const wanted = new Map<string, { connectionId: string; mediaBuyId: string; window: Window | undefined }>();
  for (const { connectionId, report } of batch) {
    const period = readPeriod(report.period);
    for (const { mediaBuyId } of report.deliveries) {
      // PostgreSQL cannot store such texts, and would refuse the whole batch.
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

/** The shortest period that contains both. */
export function widened(known: Window | undefined, { start, end }: Window): Window {
  if (known === undefined) return { start, end };
  return { start: Math.min(known.start, start), end: Math.max(known.end, end) };
}
