import { sameFact, type ReportVersion, type VersionDraft } from './report-version.js';

/**
 * Whether a version says what is already recorded, so that recording it again would add nothing.
 *
 * Of a push: the same in everything, its time included; it was sent again under a new key
 * (docs/ledger.md#facts-versions-and-finality). A push that says the same later is no repeat: it may have to outlive
 * one that arrives between the two. Of a pull: the same figures as the last pull with
 * nothing pushed in between, or each look would leave a row.
 */
export function isRepeat(version: VersionDraft, known: readonly ReportVersion[]): boolean {
  const sameStream = known.filter((other) => other.stream === version.stream && sameFact(other, version));
  if (version.source === 'webhook') {
    return sameStream.some(
      (other) =>
        sameFigures(other, version) &&
        other.sequenceNumber === version.sequenceNumber &&
        other.notificationType === version.notificationType &&
        other.reportedAt === version.reportedAt,
    );
  }
  const last = sameStream.reduce<ReportVersion | undefined>(
    (latest, other) => (latest === undefined || other.reportedAt >= latest.reportedAt ? other : latest),
    undefined,
  );
  if (last === undefined || !sameFigures(last, version)) return false;
  // What was pushed since then waits for this word, though it is the same.
  return !known.some(
    (other) =>
      other.source === 'webhook' &&
      sameFact(other, version) &&
      other.reportedAt > last.reportedAt &&
      other.reportedAt <= version.reportedAt,
  );
}

function sameFigures(left: VersionDraft, right: VersionDraft): boolean {
  return (
    left.spendMicros === right.spendMicros &&
    left.impressions === right.impressions &&
    left.clicks === right.clicks &&
    left.isFinal === right.isFinal &&
    left.currency === right.currency
  );
}
