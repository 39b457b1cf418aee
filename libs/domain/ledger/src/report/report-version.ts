import type { Instant } from '@switchyard/values';
import type { Granularity } from './read-period.js';
import type { ObservationSource } from './observation.js';
import type { ZoneBasis } from '../calendar/place-period.js';
import { dayOf } from '../finance/period.js';

/**
 * One observation of a delivery figure; never edited.
 *
 * Its fact is (seller buy, package, period, granularity, measurement window); connection and account are
 * those of the seller buy (docs/ledger.md#facts-versions-and-finality).
 */
export interface ReportVersion {
  readonly id: string;
  readonly connectionId: string;
  readonly seller: string;
  readonly mediaBuyId: string;
  readonly sellerBuyId: string;
  /** The seller's package id; empty for a figure of the whole buy. */
  readonly packageRef: string;
  /** Half-open, UTC. */
  readonly periodStart: Instant;
  readonly periodEnd: Instant;
  readonly granularity: Granularity;
  /** Empty where the report names none. */
  readonly measurementWindow: string;
  /** 1 for the first recorded observation of its fact. */
  readonly version: number;
  readonly notificationType: string;
  /** Null: the seller did not report it (docs/ledger.md#facts-versions-and-finality). */
  readonly isFinal: boolean | null;
  readonly sequenceNumber: number | null;
  readonly stream: string;
  readonly reportedAt: Instant;
  readonly receivedAt: Instant;
  readonly source: ObservationSource;
  readonly eventId: string | null;
  readonly operationId: string;
  readonly currency: string;
  readonly spendMicros: bigint;
  /** The reported decimal text, from which the micros were rounded (docs/protocol/media-buys.md#money). */
  readonly spendText: string;
  readonly impressions: bigint | null;
  readonly clicks: bigint | null;
  /** The entry that recorded it. */
  readonly entryId: string;
  /**
   * Where its figure stands (docs/ledger.md#the-days-of-a-figure), all null for the UTC day of its start: an IANA name or
   * an offset, why it holds, and the first and last local day.
   */
  readonly zone: string | null;
  readonly zoneBasis: ZoneBasis | null;
  readonly firstDay: string | null;
  readonly lastDay: string | null;
}

/** The day on which a figure begins, `YYYY-MM-DD`. */
export function firstDayOf({
  firstDay,
  periodStart,
}: Pick<ReportVersion, 'firstDay' | 'periodStart'>): string {
  return firstDay ?? dayOf(periodStart);
}

/** A stored version, and whether its figure currently counts. */
export interface StoredVersion extends ReportVersion {
  readonly isCurrent: boolean;
}

/** A version without number and entry. */
export type VersionDraft = Omit<ReportVersion, 'version' | 'entryId'>;

export type Fact = Pick<
  ReportVersion,
  'sellerBuyId' | 'packageRef' | 'periodStart' | 'periodEnd' | 'measurementWindow'
>;

/** Whether two versions have the same fact. The granularity follows from the period. */
export function sameFact(left: Fact, right: Fact): boolean {
  return (
    left.packageRef === right.packageRef &&
    left.periodStart === right.periodStart &&
    left.periodEnd === right.periodEnd &&
    left.measurementWindow === right.measurementWindow &&
    left.sellerBuyId === right.sellerBuyId
  );
}
