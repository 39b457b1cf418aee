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
  /** Streams of these buys whose `final` report is in the batch. */
  readonly ends: readonly WantedEnd[];
}

interface WantedEnd {
  /** The place of its buy. */
  readonly at: number;
  readonly stream: string;
  readonly sequenceNumber: number | null;
  readonly reportedAt: Instant;
}

export function wantedBuys(batch: readonly Observation[]): WantedBuys {
  const wanted = new Map<string, { connectionId: string; mediaBuyId: string; window: Window | undefined }>();
  const ends: (Omit<WantedEnd, 'at'> & { readonly key: string })[] = [];
  for (const { connectionId, report, source, stream, reportedAt } of batch) {
    const period = readPeriod(report.period);
    for (const { mediaBuyId } of report.deliveries) {
      // PostgreSQL cannot store such texts, and would refuse the whole batch.
      if (mediaBuyId.includes('\u0000')) continue;
      const key = `${connectionId} ${mediaBuyId}`;
      const known = wanted.get(key)?.window;
      const window = period.ok ? widened(known, period.value) : known;
      wanted.set(key, { connectionId, mediaBuyId, window });
      if (report.notificationType === 'final' && source === 'webhook')
        ends.push({ key, stream, sequenceNumber: report.sequenceNumber ?? null, reportedAt });
    }
  }
  const each = [...wanted.values()];
  const places = new Map([...wanted.keys()].map((key, at) => [key, at]));
  return {
    connections: each.map(({ connectionId }) => connectionId),
    ids: each.map(({ mediaBuyId }) => mediaBuyId),
    windows: each.map(({ window }) => window),
    ends: ends.map(({ key, ...end }) => ({ ...end, at: places.get(key) ?? 0 })),
  };
}

/** The shortest period that contains both. */
export function widened(known: Window | undefined, { start, end }: Window): Window {
  if (known === undefined) return { start, end };
  return { start: Math.min(known.start, start), end: Math.max(known.end, end) };
}
