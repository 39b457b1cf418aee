import { sameFact, type ReportVersion, type VersionDraft } from './report-version.js';

/**
 * Whether a version repeats a recorded one, so that recording it would add nothing.
 *
 * A push is a repeat if everything is equal, including its time: it was sent again under a new key
 * (docs/ledger.md#facts-versions-and-finality). The same figures with a later time are not a repeat: they may
 * have to take precedence over a push that arrives between the two. A pull is a repeat if its figures equal
 * the last pull and nothing was pushed in between; otherwise every poll would add a row.
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
  // A push since the last pull needs this pull, even with equal figures.
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
