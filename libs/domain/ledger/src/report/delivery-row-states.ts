import type { ReportVersion } from './report-version.js';

/**
 * The state of a delivery row: without a report, pushed by its seller, confirmed by a pull, or final for its
 * window (docs/ledger.md#facts-versions-and-finality).
 */
export type DeliveryRowState = 'none' | 'reported' | 'confirmed' | 'final';

/**
 * Allowed next states. A final figure may be restated, and stays final
 * (docs/ledger.md#facts-versions-and-finality).
 */
const next: Readonly<Record<DeliveryRowState, readonly DeliveryRowState[]>> = {
  none: ['reported', 'confirmed', 'final'],
  reported: ['reported', 'confirmed', 'final'],
  // An adjustment pushed after the last pull waits for the next pull (docs/ledger.md#which-figure-counts).
  confirmed: ['reported', 'confirmed', 'final'],
  final: ['final'],
};

/** Whether one state may follow another. */
export function isRowMove(from: DeliveryRowState, to: DeliveryRowState): boolean {
  return next[from].includes(to);
}

/** The state of a row after its observations. */
export function rowState(versions: readonly Pick<ReportVersion, 'isFinal' | 'source'>[]): DeliveryRowState {
  return versions.reduce<DeliveryRowState>((from, version) => {
    const to = reportedRow(from, version);
    return isRowMove(from, to) ? to : from;
  }, 'none');
}

/**
 * The state after one observation. Without `isFinal`, a final row stays final: absent means unknown
 * (docs/ledger.md#facts-versions-and-finality).
 */
export function reportedRow(
  from: DeliveryRowState,
  { isFinal, source }: Pick<ReportVersion, 'isFinal' | 'source'>,
): DeliveryRowState {
  if (isFinal === true || (isFinal === null && from === 'final')) return 'final';
  return source === 'pull' ? 'confirmed' : 'reported';
}
