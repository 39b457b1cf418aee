import type { Finding } from '@switchyard/protocol';
import { isoOf, type JsonObject, type JsonValue } from '@switchyard/values';
import type { MessageEvidence, Observation } from '../report/observation.js';
import type { CountChange } from '../report/report-repository.js';
import type { ReportVersion } from '../report/report-version.js';
import type { PackageMove } from '../spend.js';

/** The changes of a report. */
interface PostedReport {
  readonly versions: readonly ReportVersion[];
  readonly change: CountChange;
  readonly moves: readonly PackageMove[];
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
  { versions, change, moves, findings, openFrom }: PostedReport,
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
    ...(change.moves.some(({ version }) => version.firstDay !== null) ? { moves: moveFacts(moves) } : {}),
    ...closedPeriods(change, openFrom),
  };
}

/**
 * What an entry adds by package and day: `[package, day, micros]`. Left out where every figure stands on the UTC day of
 * its start, because the text says so then.
 */
export function moveFacts(moves: readonly PackageMove[]): JsonValue {
  const sums = new Map<string, { packageRef: string; day: string; micros: bigint }>();
  for (const { packageRef, day, amountMicros } of moves) {
    const key = `${packageRef}\u0000${day}`;
    const sum = sums.get(key) ?? { packageRef, day, micros: 0n };
    sum.micros += amountMicros;
    sums.set(key, sum);
  }
  return [...sums]
    .filter(([, { micros }]) => micros !== 0n)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([, { packageRef, day, micros }]) => [packageRef, day, micros.toString()]);
}

/** The facts about the message that caused an entry (docs/ledger.md#evidence). */
export function messageFacts({ sha256, sender, proof, keyid }: MessageEvidence): JsonObject {
  return { sha256, sender, proof, keyid: keyid ?? null };
}

/** The closed periods of late figures, and the first open day, on which they are booked. */
export function closedPeriods({ moves }: CountChange, openFrom: string | undefined): JsonObject {
  if (openFrom === undefined) return {};
  const days = moves.map(({ day }) => day);
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
    ...calendarFacts(version),
  };
}

/** Where the figures stand, unless that is the UTC day of their start. */
function calendarFacts({
  zone,
  zoneBasis: basis,
  firstDay: first,
  lastDay: last,
}: ReportVersion): JsonObject {
  return first === null ? {} : { calendar: { zone, basis, first, last } };
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
