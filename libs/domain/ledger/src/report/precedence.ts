import { groupBy } from '../group-by.js';
import type { ReportVersion } from './report-version.js';

/**
 * Returns the observation of one package and period that counts. A pure function of the set: the order of
 * arrival does not matter.
 *
 * Final before not final, then the wider measurement window (docs/ledger.md#which-figure-counts). Then one
 * version per stream: the highest sequence number, then `adjusted` before `scheduled`, then the later
 * timestamp (docs/ledger.md#which-figure-counts). Between pushing streams: `adjusted`, then the later
 * timestamp. A pull has precedence over pushes (docs/ledger.md#which-figure-counts), but not over a later
 * adjustment, nor over a later push where one of the two was made before the end of the period.
 */
export function currentOf<V extends ReportVersion>(versions: readonly V[]): V | undefined {
  if (versions.length < 2) return versions[0];
  const closed = versions.filter((version) => version.isFinal === true);
  const finalOnes = closed.length > 0 ? closed : versions;
  const widest = Math.max(...finalOnes.map((version) => windowRank(version.measurementWindow)));
  const eligible = finalOnes.filter((version) => windowRank(version.measurementWindow) === widest);

  const spokesmen = [...groupBy(eligible, (version) => version.stream).values()].map((stream) =>
    highest(stream, inStream),
  );
  const pushed = highestOf(
    spokesmen.filter((version) => version.source === 'webhook'),
    acrossStreams,
  );
  const pulled = highestOf(
    spokesmen.filter((version) => version.source === 'pull'),
    acrossStreams,
  );
  if (pushed === undefined || pulled === undefined) return pushed ?? pulled;
  return pullWins(pulled, pushed) ? pulled : pushed;
}

/** `c3` and `C7`, `7d` and `7_day` by their days; `live` and no window first; an unreadable name last. */
function windowRank(window: string): number {
  if (window === '' || window.toLowerCase() === 'live') return 0;
  const days = /^c?(\d{1,4})(?:[ _-]?d(?:ays?)?)?$/i.exec(window)?.[1];
  return days === undefined ? 10_000 : Number(days);
}

/**
 * Whether a push adjusted figures after the last pull, so that another pull must decide
 * (docs/ledger.md#which-figure-counts).
 */
export function wantsPull(chosen: ReportVersion, versions: readonly ReportVersion[]): boolean {
  return (
    isAdjustment(chosen) && chosen.source === 'webhook' && versions.some(({ source }) => source === 'pull')
  );
}

export function isAdjustment({ notificationType }: Pick<ReportVersion, 'notificationType'>): boolean {
  return notificationType === 'adjusted' || notificationType === 'window_update';
}

function pullWins(pulled: ReportVersion, pushed: ReportVersion): boolean {
  const later = pulled.reportedAt >= pushed.reportedAt;
  const early = [pulled, pushed].some((version) => version.reportedAt < version.periodEnd);
  return later || (!early && !isAdjustment(pushed));
}

type Order = (left: ReportVersion, right: ReportVersion) => number;

const inStream: Order = (left, right) =>
  (left.sequenceNumber ?? -1) - (right.sequenceNumber ?? -1) ||
  // A later pull is newer, whatever type its row has.
  (left.source === 'pull' && right.source === 'pull' ? left.reportedAt - right.reportedAt : 0) ||
  acrossStreams(left, right);

const acrossStreams: Order = (left, right) =>
  Number(isAdjustment(left)) - Number(isAdjustment(right)) ||
  left.reportedAt - right.reportedAt ||
  byContent(left, right);

/** For versions that are equal otherwise, the larger figure counts, so that no debt is hidden. */
const byContent: Order = (left, right) =>
  compare(left.spendMicros, right.spendMicros) ||
  compare(left.impressions ?? -1n, right.impressions ?? -1n) ||
  compare(left.clicks ?? -1n, right.clicks ?? -1n) ||
  compare(left.measurementWindow, right.measurementWindow) ||
  compare(left.stream, right.stream) ||
  // The same observation, placed anew when a time zone was confirmed.
  left.version - right.version;

function compare<T extends bigint | string>(left: T, right: T): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function highestOf<V extends ReportVersion>(versions: readonly V[], order: Order): V | undefined {
  const [first] = versions;
  return first === undefined ? undefined : highest(versions, order);
}

function highest<V extends ReportVersion>(versions: readonly V[], order: Order): V {
  return versions.reduce((best, version) => (order(version, best) > 0 ? version : best));
}
