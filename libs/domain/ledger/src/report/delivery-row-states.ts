import type { ReportVersion } from './report-version.js';

/**
 * Where a row of delivery stands: nothing is known of it, its seller has pushed it, a pull has shown it, or it is final
 * for its window (docs/ledger.md#facts-versions-and-finality).
 */
export type DeliveryRowState = 'none' | 'reported' | 'confirmed' | 'final';

/**
 * What each state may become next. What was final is closed; its figure may be restated, and stays final
 * (docs/ledger.md#facts-versions-and-finality).
 */
const next: Readonly<Record<DeliveryRowState, readonly DeliveryRowState[]>> = {
  none: ['reported', 'confirmed', 'final'],
  reported: ['reported', 'confirmed', 'final'],
  // An adjustment that is pushed after the last pull waits for the next one (docs/ledger.md#which-figure-counts).
  confirmed: ['reported', 'confirmed', 'final'],
  final: ['final'],
};

/** Whether one state may follow another. */
export function isRowMove(from: DeliveryRowState, to: DeliveryRowState): boolean {
  return next[from].includes(to);
}

/** The state that observations of one row have brought it to. */
export function rowState(versions: readonly Pick<ReportVersion, 'isFinal' | 'source'>[]): DeliveryRowState {
  return versions.reduce<DeliveryRowState>((from, version) => {
    const to = reportedRow(from, version);
    return isRowMove(from, to) ? to : from;
  }, 'none');
}

/**
 * What one observation says. One that does not say whether it is final reopens nothing: absent is unknown
 * (docs/ledger.md#facts-versions-and-finality).
 */
export function reportedRow(
  from: DeliveryRowState,
  { isFinal, source }: Pick<ReportVersion, 'isFinal' | 'source'>,
): DeliveryRowState {
  if (isFinal === true || (isFinal === null && from === 'final')) return 'final';
  return source === 'pull' ? 'confirmed' : 'reported';
}
