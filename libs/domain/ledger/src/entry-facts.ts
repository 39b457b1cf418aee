import type { Finding } from '@switchyard/protocol';
import { isoOf, type JsonObject } from '@switchyard/values';
import type { Observation } from './observation.js';
import type { CountChange } from './report-book.js';
import type { ReportVersion } from './report-version.js';

/**
 * What the entry of a report says besides its postings: where the report came from, every version it brought, in
 * full, and which figures count from now on and which no longer do. The rows of the database are checked against it.
 */
export function entryFacts(
  observation: Observation,
  sellerBuyId: string,
  versions: readonly ReportVersion[],
  change: CountChange,
  findings: readonly Finding[],
): JsonObject {
  const { admitted, eventId, legId } = observation;
  return {
    seller_buy_id: sellerBuyId,
    source: {
      kind: observation.source,
      stream: observation.stream,
      event_id: eventId ?? null,
      leg_id: legId ?? null,
      reported_at: isoOf(observation.reportedAt),
      received_at: isoOf(observation.receivedAt),
      ...(admitted === undefined ? {} : { admitted: { by: admitted.by, reason: admitted.reason } }),
    },
    versions: versions.map(versionFacts),
    counts: change.starts.map(({ id }) => id),
    no_longer_counts: change.stops.map(({ id }) => id),
    findings: findings.map(({ code, message, field }) => ({
      code,
      message,
      ...(field === undefined ? {} : { field }),
    })),
  };
}

/** A version as an entry's body spells it: every member that its row has, but for those that the entry itself says. */
export function versionFacts(version: ReportVersion): JsonObject {
  return {
    id: version.id,
    connection_id: version.connectionId,
    seller_buy_id: version.sellerBuyId,
    package_ref: version.packageRef,
    period_start: isoOf(version.periodStart),
    period_end: isoOf(version.periodEnd),
    granularity: version.granularity,
    measurement_window: version.measurementWindow,
    version: version.version,
    notification_type: version.notificationType,
    is_final: version.isFinal,
    sequence_number: version.sequenceNumber,
    stream: version.stream,
    reported_at: isoOf(version.reportedAt),
    received_at: isoOf(version.receivedAt),
    source: version.source,
    event_id: version.eventId,
    currency: version.currency,
    spend_micros: version.spendMicros.toString(),
    spend_text: version.spendText,
    impressions: version.impressions?.toString() ?? null,
    clicks: version.clicks?.toString() ?? null,
  };
}
