import type { BookedBuy, StreamEnd } from './booked-buy.js';
import type { Observation, QuarantineReason } from './observation.js';
import { sameFact, type ReportVersion, type VersionDraft } from './report-version.js';

/**
 * Whether a pushed report contradicts its own stream (docs/ledger.md#which-figure-counts).
 *
 * Nothing may follow a stream's `final` report. A lower sequence number is an older version, unless its time
 * is later: then the number or the time is wrong, and a person has to check it.
 */
export function judgeStreamEnd(
  observation: Observation,
  buy: BookedBuy,
  field: string,
): QuarantineReason | undefined {
  if (observation.source !== 'webhook' || observation.admitted !== undefined) return undefined;
  const { stream, reportedAt } = observation;
  const { sequenceNumber = null } = observation.report;
  const follows = buy.ended.some(
    (end) =>
      (end.stream === undefined || end.stream === stream) && isAfter({ sequenceNumber, reportedAt }, end),
  );
  if (!follows) return undefined;
  return { code: 'after_final', message: 'The stream had already sent its final report.', field };
}

function isAfter(
  { sequenceNumber, reportedAt }: Pick<ReportVersion, 'sequenceNumber' | 'reportedAt'>,
  end: StreamEnd,
): boolean {
  if (end.sequenceNumber !== undefined && sequenceNumber !== null) return sequenceNumber > end.sequenceNumber;
  return reportedAt > end.reportedAt;
}

/**
 * The versions that may count: not those that were sent after their stream's `final` report and overtook it. A person who
 * admits one makes it a stream of its own. `ends` are those of other periods of the buy.
 */
export function sentInTime<V extends ReportVersion>(
  versions: readonly V[],
  ends: readonly StreamEnd[],
): readonly V[] {
  const known = [...ends.filter(({ stream }) => stream !== undefined), ...versions.flatMap(endIn)];
  if (known.length === 0) return versions;
  return versions.filter(
    (version) =>
      version.source !== 'webhook' ||
      !known.some((end) => end.stream === version.stream && isAfter(version, end)),
  );
}

/** The end of its stream that a version says; a `final` report without figures stores none. */
export function endIn({
  notificationType,
  source,
  stream,
  sequenceNumber,
  reportedAt,
}: ReportVersion): readonly StreamEnd[] {
  if (notificationType !== 'final' || source !== 'webhook') return [];
  return [{ stream, reportedAt, ...(sequenceNumber === null ? {} : { sequenceNumber }) }];
}

/** The same for one figure, compared with the recorded versions. */
export function judgeSequence(
  version: VersionDraft,
  known: readonly ReportVersion[],
  field: string,
): QuarantineReason | undefined {
  const { sequenceNumber } = version;
  if (sequenceNumber === null) return undefined;
  const contradicted = known.some(
    (other) =>
      sameFact(other, version) &&
      other.stream === version.stream &&
      other.isFinal === version.isFinal &&
      other.sequenceNumber !== null &&
      other.sequenceNumber > sequenceNumber &&
      other.reportedAt < version.reportedAt,
  );
  if (!contradicted) return undefined;
  return {
    code: 'sequence_behind_time',
    message: 'A lower sequence number came with a later timestamp than a higher one.',
    field,
  };
}
