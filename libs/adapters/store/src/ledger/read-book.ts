import {
  readPeriod,
  type BookContents,
  type BookedBuy,
  type Observation,
  type StoredVersion,
} from '@switchyard/ledger';
import { isoOf, type Instant } from '@switchyard/values';
import type { TenantClient } from '../core/tenant-client.js';
import { readAwaitedLegs, readBuys } from './read-buys.js';
import { versionColumns, versionOf, type VersionRow } from './version-rows.js';

/** Reads what a batch of reports has to be decided on. The head is locked, so nothing of it changes meanwhile. */
export async function readBook(client: TenantClient, batch: readonly Observation[]): Promise<BookContents> {
  const buys = await readBuys(client, batch);
  const awaitedLegs = await readAwaitedLegs(client, batch);
  const windows = windowsOf(batch, buys);
  const versions = await readVersions(client, windows);
  return { buys, awaitedLegs, versions, spent: await readSpent(client, [...windows.keys()]) };
}

interface Window {
  readonly start: Instant;
  readonly end: Instant;
}

/** For each seller buy the stretch of time that the batch reports on. */
function windowsOf(batch: readonly Observation[], buys: readonly BookedBuy[]): Map<string, Window> {
  const byName = new Map(buys.map((buy) => [`${buy.connectionId} ${buy.sellerMediaBuyId}`, buy.sellerBuyId]));
  const windows = new Map<string, Window>();
  for (const { connectionId, report } of batch) {
    const period = readPeriod(report.period);
    if (!period.ok) continue;
    for (const { mediaBuyId } of report.deliveries) {
      const sellerBuyId = byName.get(`${connectionId} ${mediaBuyId}`);
      if (sellerBuyId !== undefined) widen(windows, sellerBuyId, period.value);
    }
  }
  return windows;
}

function widen(windows: Map<string, Window>, sellerBuyId: string, { start, end }: Window): boolean {
  const known = windows.get(sellerBuyId);
  if (known !== undefined && known.start <= start && known.end >= end) return false;
  windows.set(sellerBuyId, {
    start: Math.min(known?.start ?? start, start),
    end: Math.max(known?.end ?? end, end),
  });
  return true;
}

/**
 * Every version that overlaps a window. Where one reaches beyond its window, the window is widened and read again,
 * until nothing reaches out: which of overlapping periods count can only be told from all of them.
 */
async function readVersions(
  client: TenantClient,
  windows: Map<string, Window>,
): Promise<readonly StoredVersion[]> {
  const found = new Map<string, StoredVersion>();
  let pending = new Set(windows.keys());
  while (pending.size > 0) {
    const asked = [...pending].flatMap((id) => {
      const window = windows.get(id);
      return window === undefined ? [] : [{ id, ...window }];
    });
    const { rows } = await client.query<VersionRow>({
      name: 'ledger_read_versions',
      text: `select ${versionColumns}
             from unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[]) w(seller_buy_id, start_at, end_at)
             join report_version v on v.seller_buy_id = w.seller_buy_id
               and v.period_start < w.end_at and v.period_end > w.start_at`,
      values: [
        asked.map(({ id }) => id),
        asked.map(({ start }) => isoOf(start)),
        asked.map(({ end }) => isoOf(end)),
      ],
    });
    pending = new Set();
    for (const version of rows.map(versionOf)) {
      found.set(version.id, version);
      const period = { start: version.periodStart, end: version.periodEnd };
      if (widen(windows, version.sellerBuyId, period)) pending.add(version.sellerBuyId);
    }
  }
  return [...found.values()];
}

/** What counts of each package over all time: only for the budget, so only sums are read. */
async function readSpent(
  client: TenantClient,
  sellerBuyIds: readonly string[],
): Promise<BookContents['spent']> {
  if (sellerBuyIds.length === 0) return [];
  const { rows } = await client.query<{ seller_buy_id: string; package_ref: string; spend_micros: string }>({
    name: 'ledger_read_spent',
    text: `select seller_buy_id, package_ref, sum(spend_micros)::text as spend_micros from report_version
           where seller_buy_id = any($1::uuid[]) and is_current group by seller_buy_id, package_ref`,
    values: [sellerBuyIds],
  });
  return rows.map((row) => ({
    sellerBuyId: row.seller_buy_id,
    packageRef: row.package_ref,
    spendMicros: BigInt(row.spend_micros),
  }));
}
