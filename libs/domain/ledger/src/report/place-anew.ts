import { canonicalJson, type Instant, type JsonObject, type JsonValue } from '@switchyard/values';
import { placePeriod } from '../calendar/place-period.js';
import { minutesOf } from '../calendar/zone.js';
import { closedPeriods, moveFacts, reportFacts, versionFacts } from '../entry/entry-facts.js';
import { entryOf, type LedgerEntry } from '../entry/entry.js';
import type { PackageMove } from '../spend.js';
import { currentOfEach } from './count-facts.js';
import { differences, movesOf } from './post-report.js';
import { placementColumns } from './read-report.js';
import { ReportRepository, type CountChange } from './report-repository.js';
import type { ReportVersion, StoredVersion } from './report-version.js';

/** What is restated because the days of a seller are known now. */
export interface PlacedAnew {
  /** The same figures with their new days, numbered after the known ones. */
  readonly versions: readonly ReportVersion[];
  /** Those that do not count any more. */
  readonly stops: readonly ReportVersion[];
  readonly moves: readonly PackageMove[];
  /** What moves by day, before closed periods are looked at. */
  readonly shifts: CountChange['moves'];
  readonly entry: LedgerEntry;
  readonly isCounted: (version: ReportVersion) => boolean;
}

interface Restating {
  /** Zones that were said, by weight. */
  readonly zones: readonly string[];
  /** The first open day; undefined where no period was closed. */
  readonly openFrom?: string | undefined;
  /** UUID of the principal. */
  readonly by: string;
  readonly reason: string;
  readonly at: Instant;
  readonly newId: () => string;
}

/**
 * Places the figures of one seller buy by the zones that are known now, as one entry that posts the differences by day.
 * `versions` are all of the buy. Undefined where nothing moves: figures whose days stay are not touched.
 */
export function placeAnew(versions: readonly StoredVersion[], restating: Restating): PlacedAnew | undefined {
  const { zones, openFrom, newId } = restating;
  const entryId = newId();
  const copies = currentOfEach(versions).flatMap((version): readonly ReportVersion[] => {
    const columns = placedIn(version, zones);
    if (columns.firstDay === version.firstDay && columns.lastDay === version.lastDay) return [];
    const { isCurrent: _, ...figure } = version;
    return [{ ...figure, ...columns, id: newId(), version: nextOf(version, versions), entryId }];
  });
  const [first] = copies;
  if (first === undefined) return undefined;
  const repository = new ReportRepository({
    buys: [],
    awaitedLegs: new Set(),
    versions,
    spent: [],
    ...(openFrom !== undefined && { openFrom }),
  });
  const change = repository.record(first.sellerBuyId, copies);
  const moves = movesOf(change, openFrom);
  const postings = differences(moves, first.currency);
  if (moves.length === 0) return undefined;
  const entry = entryOf({
    id: entryId,
    kind: postings.length === 0 ? 'observation' : 'restatement',
    operationId: first.operationId,
    mediaBuyId: first.mediaBuyId,
    seller: first.seller,
    occurredAt: restating.at,
    postings,
    facts: restatedFacts(copies, change, { ...restating, moves }),
  });
  return {
    versions: copies,
    stops: change.stops,
    moves,
    shifts: change.moves,
    entry,
    isCounted: (version) => repository.isCounted(version),
  };
}

/** The columns of a version's placement in these zones. */
export function placedIn(
  version: ReportVersion,
  zones: readonly string[],
): ReturnType<typeof placementColumns> {
  const { periodStart: start, periodEnd: end, zone } = version;
  // An offset that was in the text of the report is not stored elsewhere.
  const offset = zone !== null && minutesOf(zone) !== undefined ? zone : undefined;
  const bounds = offset === undefined ? {} : { startOffset: offset, endOffset: offset };
  return placementColumns(placePeriod({ start, end, ...bounds }, zones), start);
}

function nextOf(version: ReportVersion, all: readonly ReportVersion[]): number {
  const same = all.filter(
    (other) =>
      other.packageRef === version.packageRef &&
      other.periodStart === version.periodStart &&
      other.periodEnd === version.periodEnd &&
      other.measurementWindow === version.measurementWindow,
  );
  return Math.max(...same.map((other) => other.version)) + 1;
}

/** Members that all versions share are written once, the others with each version. */
function restatedFacts(
  versions: readonly ReportVersion[],
  change: CountChange,
  {
    zones,
    by,
    reason,
    openFrom,
    moves,
  }: Pick<Restating, 'zones' | 'by' | 'reason' | 'openFrom'> & { readonly moves: readonly PackageMove[] },
): JsonObject {
  const all = versions.map((version) => reportFacts(version));
  const [first = {}] = all;
  const isShared = (name: string): boolean =>
    all.every((facts) => Object.hasOwn(facts, name) && isSame(facts[name], first[name]));
  const shared = Object.fromEntries(Object.entries(first).filter(([name]) => isShared(name)));
  const fresh = new Set(versions);
  const starts = new Set(change.starts);
  return {
    report: shared,
    versions: versions.map((version, at) => ({
      ...Object.fromEntries(Object.entries(all[at] ?? {}).filter(([name]) => !Object.hasOwn(shared, name))),
      ...versionFacts(version),
      counts: starts.has(version),
    })),
    counts_again: change.starts.filter((version) => !fresh.has(version)).map(({ id }) => id),
    no_longer_counts: change.stops.map(({ id }) => id),
    placed_anew: { zones: [...zones], by, reason },
    moves: moveFacts(moves),
    ...closedPeriods(change, openFrom),
  };
}

function isSame(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return canonicalJson(one ?? null) === canonicalJson(other ?? null);
}
