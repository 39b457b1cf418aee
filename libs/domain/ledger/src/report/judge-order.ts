import type { BookedBuy } from './booked-buy.js';
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
  const sequence = observation.report.sequenceNumber;
  const follows = buy.ended.some((end) => {
    if (end.stream !== undefined && end.stream !== observation.stream) return false;
    if (end.sequenceNumber !== undefined && sequence !== undefined) return sequence > end.sequenceNumber;
    return observation.reportedAt > end.reportedAt;
  });
  if (!follows) return undefined;
  return { code: 'after_final', message: 'The stream had already sent its final report.', field };
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
