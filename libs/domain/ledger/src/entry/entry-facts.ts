import type { Finding } from '@switchyard/protocol';
import { isoOf, type JsonObject } from '@switchyard/values';
import type { MessageEvidence, Observation } from '../report/observation.js';
import type { CountChange } from '../report/report-repository.js';
import type { ReportVersion } from '../report/report-version.js';

/** The changes of a report. */
interface PostedReport {
  readonly versions: readonly ReportVersion[];
  readonly change: CountChange;
  readonly findings: readonly Finding[];
  readonly openFrom?: string | undefined;
}

/**
 * The facts of a report's entry: the source of the report, all its versions, and which figures count now and
 * which no longer do. The rows of the database are checked against them.
 *
 * Members that all versions of a report share are written once, because bodies are most of a ledger's size.
 */
export function entryFacts(
  observation: Observation,
  { versions, change, findings, openFrom }: PostedReport,
): JsonObject {
  const [first] = versions;
  if (first === undefined) throw new RangeError('The entry of a report brings at least one version.');
  const { admitted, legId, message } = observation;
  const fresh = new Set(versions);
  const starts = new Set(change.starts);
  return {
    report: reportFacts(first),
    versions: versions.map((version) => ({ ...versionFacts(version), counts: starts.has(version) })),
    counts_again: change.starts.filter((version) => !fresh.has(version)).map(({ id }) => id),
    no_longer_counts: change.stops.map(({ id }) => id),
    ...(legId === undefined ? {} : { leg_id: legId }),
    ...(message === undefined ? {} : { message: messageFacts(message) }),
    ...(admitted === undefined ? {} : { admitted: { by: admitted.by, reason: admitted.reason } }),
    ...(findings.length === 0 ? {} : { findings: findings.map(findingFacts) }),
    ...closedPeriods(change, openFrom),
  };
}

/** The facts about the message that caused an entry (docs/ledger.md#evidence). */
export function messageFacts({ sha256, sender, proof, keyid }: MessageEvidence): JsonObject {
  return { sha256, sender, proof, keyid: keyid ?? null };
}

/** The closed periods of late figures, and the first open day, on which they are booked. */
function closedPeriods({ starts, stops }: CountChange, openFrom: string | undefined): JsonObject {
  if (openFrom === undefined) return {};
  const days = [...starts, ...stops].map(({ periodStart }) => isoOf(periodStart).slice(0, 10));
  const closed = [...new Set(days.filter((day) => day < openFrom).map((day) => day.slice(0, 7)))].sort();
  return closed.length === 0 ? {} : { closed_periods: closed, booked_on: openFrom };
}

/** The members that all versions of one entry share. */
export function reportFacts(version: ReportVersion): JsonObject {
  return {
    connection_id: version.connectionId,
    seller_buy_id: version.sellerBuyId,
    period_start: isoOf(version.periodStart),
    period_end: isoOf(version.periodEnd),
    granularity: version.granularity,
    sequence_number: version.sequenceNumber,
    source: version.source,
    stream: version.stream,
    event_id: version.eventId,
    reported_at: isoOf(version.reportedAt),
    received_at: isoOf(version.receivedAt),
    currency: version.currency,
  };
}

/** The other members of one version. */
export function versionFacts(version: ReportVersion): JsonObject {
  return {
    id: version.id,
    package_ref: version.packageRef,
    measurement_window: version.measurementWindow,
    version: version.version,
    notification_type: version.notificationType,
    is_final: version.isFinal,
    spend_micros: version.spendMicros.toString(),
    spend_text: version.spendText,
    impressions: version.impressions?.toString() ?? null,
    clicks: version.clicks?.toString() ?? null,
  };
}

function findingFacts({ code, message, field }: Finding): JsonObject {
  return { code, message, ...(field === undefined ? {} : { field }) };
}
