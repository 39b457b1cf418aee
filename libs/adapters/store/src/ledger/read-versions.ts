import { groupBy, sentInTime, type StoredVersion } from '@switchyard/ledger';
import { isoOf } from '@switchyard/values';
import type { TenantClient } from '../core/tenant-client.js';
import { readEnds } from './read-buys.js';
import { versionColumns, versionOf, type VersionRow } from './version-rows.js';
import { widened, type WantedBuys, type Window } from './wanted-buys.js';

/**
 * Every version that overlaps the periods of a batch. If a version reaches beyond, its buy is read again over the
 * longer period, until none does: which of overlapping periods count can be decided only from all of them.
 */
export async function readVersions(
  client: TenantClient,
  wanted: WantedBuys,
): Promise<readonly StoredVersion[]> {
  const requested = wanted.windows.flatMap((window, at) => (window === undefined ? [] : [{ window, at }]));
  const first = await client.query<VersionRow & { readonly place: string }>({
    name: 'ledger_read_versions',
    text: `select ${versionColumns}, w.place
           from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::timestamptz[]) with ordinality
             w(connection_id, seller_media_buy_id, start_at, end_at, place)
           join seller_buy b using (connection_id, seller_media_buy_id)
           cross join lateral (
             select * from report_version v where v.seller_buy_id = b.id
               and v.period_start < w.end_at and v.period_end > w.start_at offset 0) v`,
    values: [
      requested.map(({ at }) => wanted.connections[at]),
      requested.map(({ at }) => wanted.ids[at]),
      ...bounds(requested.map(({ window }) => window)),
    ],
  });
  const windows = new Map<string, Window>();
  for (const row of first.rows) {
    const window = requested[Number(row.place) - 1]?.window;
    if (window !== undefined) windows.set(row.seller_buy_id, window);
  }
  const found = new Map<string, StoredVersion>();
  const overtaking = await readOvertaking(client, wanted);
  const pending = takeIn(found, windows, [...first.rows, ...overtaking]);
  await readOn(client, found, windows, pending);
  return [...found.values()];
}

/** Versions that were sent after a `final` report of the batch and have overtaken it: they stop counting. */
async function readOvertaking(client: TenantClient, wanted: WantedBuys): Promise<readonly VersionRow[]> {
  const { ends } = wanted;
  if (ends.length === 0) return [];
  const { rows } = await client.query<VersionRow>({
    name: 'ledger_read_overtaking',
    text: `select ${versionColumns}
           from unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[], $5::timestamptz[])
             w(connection_id, seller_media_buy_id, stream, sequence, at)
           join seller_buy b using (connection_id, seller_media_buy_id)
           cross join lateral (
             select * from report_version v where v.seller_buy_id = b.id and v.period_end > '-infinity'
               and v.source = 'webhook' and v.stream = w.stream
               and case when v.sequence_number is null or w.sequence is null then v.reported_at > w.at
                        else v.sequence_number > w.sequence end offset 0) v`,
    values: [
      ends.map(({ at }) => wanted.connections[at]),
      ends.map(({ at }) => wanted.ids[at]),
      ends.map(({ stream }) => stream),
      ends.map(({ sequenceNumber }) => sequenceNumber),
      ends.map(({ reportedAt }) => isoOf(reportedAt)),
    ],
  });
  return rows;
}

/** By seller buy: every version that overlaps its window, and all that overlap one of those, without what may not count. */
export async function readWholeGroups(
  client: TenantClient,
  windows: ReadonlyMap<string, Window>,
): Promise<ReadonlyMap<string, readonly StoredVersion[]>> {
  const found = new Map<string, StoredVersion>();
  await readOn(client, found, new Map(windows), [...windows.keys()]);
  const ends = await readEnds(client, [...windows.keys()]);
  const groups = groupBy(found.values(), ({ sellerBuyId }) => sellerBuyId);
  return new Map([...groups].map(([id, versions]) => [id, sentInTime(versions, ends.get(id) ?? [])]));
}

/** Reads seller buys over their windows, until no version reaches beyond the window of its buy. */
async function readOn(
  client: TenantClient,
  found: Map<string, StoredVersion>,
  windows: Map<string, Window>,
  first: readonly string[],
): Promise<void> {
  let pending = first;
  while (pending.length > 0) {
    const { rows } = await client.query<VersionRow>({
      name: 'ledger_read_more_versions',
      text: `select ${versionColumns}
             from unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[]) w(seller_buy_id, start_at, end_at)
             cross join lateral (
               select * from report_version v where v.seller_buy_id = w.seller_buy_id
                 and v.period_start < w.end_at and v.period_end > w.start_at offset 0) v`,
      values: [pending, ...bounds(pending.map((id) => windows.get(id)))],
    });
    pending = takeIn(found, windows, rows);
  }
}

/** Adds read versions, and returns the buys of which more must be read. */
function takeIn(
  found: Map<string, StoredVersion>,
  windows: Map<string, Window>,
  rows: readonly VersionRow[],
): readonly string[] {
  const pending = new Set<string>();
  for (const row of rows) {
    const version = versionOf(row);
    found.set(version.id, version);
    const known = windows.get(version.sellerBuyId);
    const window = widened(known, { start: version.periodStart, end: version.periodEnd });
    if (known?.start === window.start && known.end === window.end) continue;
    windows.set(version.sellerBuyId, window);
    pending.add(version.sellerBuyId);
  }
  return [...pending];
}

function bounds(windows: readonly (Window | undefined)[]): readonly [starts: string[], ends: string[]] {
  const at = windows.map((window) => window ?? { start: 0, end: 0 });
  return [at.map(({ start }) => isoOf(start)), at.map(({ end }) => isoOf(end))];
}
