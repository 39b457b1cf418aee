import type { SellerRow } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import type { ReadRequest } from '../model/read-request.js';
import type { ReadPorts } from '../model/read-request.js';
import type { MediaBuyRecord } from '../model/operation.js';
import type { BuyFilter, BuyPlace } from '../model/operation-store.js';
import { refreshBuys } from './refresh-buys.js';
import type { BuysRefreshed } from '../apply/buys-refreshed.js';

/** Maximum number of buys in one answer. */
export const buysAtMost = 100;

/**
 * Maximum number of buys read for one page. Any number of buys may not match, and each needs a query to its
 * seller: above this number the caller continues with the cursor.
 */
export const readAtMost = 500;

/** A page of a caller's buys, newest first. Buys may end between two pages, and then no longer match. */
export interface BuysPage {
  readonly after?: BuyPlace;
  /** Number of buys on the page. */
  readonly size: number;
}

interface BuysQuery {
  readonly filter: Omit<BuyFilter, 'after' | 'limit'>;
  /** The requested statuses; absent: all. */
  readonly statuses?: readonly string[];
  readonly includeSnapshot: boolean;
}

interface BuysWalked extends Omit<BuysRefreshed, 'records'> {
  /** The page, after the sellers' answers. */
  readonly shown: readonly MediaBuyRecord[];
  /** All buys that were read for it. */
  readonly read: readonly MediaBuyRecord[];
  /** Position of the next page; absent on the last one. */
  readonly next?: BuyPlace;
}

const nothing: BuysWalked = { shown: [], read: [], rows: [], refusals: [], reported: new Map() };

/**
 * Reads buys in batches until the page is full and one more buy is known to follow, or until there are no more. Only the
 * seller knows the state of a buy, so each batch is one query to its sellers; one deadline counts for all batches. A
 * seller that did not answer is not queried again. After the deadline no seller is: the stored states are shown.
 */
export async function walkBuys(
  ports: ReadPorts,
  query: ReadRequest,
  wanted: BuysQuery,
  page: BuysPage,
): Promise<BuysWalked> {
  const until = ports.clock.now() + query.deadlineMs;
  let walked = nothing;
  let { after } = page;
  let limit = page.size + 1;
  for (;;) {
    const found = await ports.store.mediaBuys(query.scope, {
      ...wanted.filter,
      ...(after === undefined ? {} : { after }),
      limit,
    });
    const fresh = await queryInTime(ports, { query, wanted, until, walked }, found);
    walked = joined(walked, fresh, wanted.statuses);
    const full = walked.shown.slice(0, page.size);
    const last = full.at(-1);
    if (walked.shown.length > page.size && last !== undefined)
      return { ...walked, shown: full, next: placeOf(last) };
    const end = found.at(-1);
    if (found.length < limit || end === undefined) return walked;
    after = placeOf(end);
    if (walked.read.length >= readAtMost) return { ...walked, next: after };
    limit = Math.min(buysAtMost, readAtMost - walked.read.length);
  }
}

/** The states of these buys, from the sellers that have answered so far and within the time that is left. */
async function queryInTime(
  ports: ReadPorts,
  {
    query,
    wanted: { includeSnapshot },
    walked: { read, rows },
    until,
  }: {
    readonly query: ReadRequest;
    readonly wanted: BuysQuery;
    readonly walked: BuysWalked;
    readonly until: number;
  },
  found: readonly MediaBuyRecord[],
): Promise<BuysRefreshed> {
  if (read.length === 0) return refreshBuys(ports, query, found, { includeSnapshot });
  const deadlineMs = until - ports.clock.now();
  if (deadlineMs <= 0 || query.signal.aborted) return { ...nothing, records: found };
  const silent = new Set(rows.filter(({ status }) => status !== 'answered').map(({ seller }) => seller));
  // A new batch would start the reported progress again from zero.
  const { onSeller: _omitted, ...quiet } = query;
  return refreshBuys(ports, { ...quiet, deadlineMs }, found, { includeSnapshot, leftOut: silent });
}

function joined(before: BuysWalked, fresh: BuysRefreshed, statuses: BuysQuery['statuses']): BuysWalked {
  const meant = fresh.records.filter(({ buy }) => statuses === undefined || statuses.includes(buy.status));
  return {
    shown: [...before.shown, ...meant],
    read: [...before.read, ...fresh.records],
    rows: joinedRows(before.rows, fresh.rows),
    refusals: [...before.refusals, ...fresh.refusals],
    reported: new Map<string, JsonObject>([...before.reported, ...fresh.reported]),
  };
}

/** One row for each seller; the latest status wins, times and items are added. */
function joinedRows(before: readonly SellerRow[], fresh: readonly SellerRow[]): readonly SellerRow[] {
  const rows = new Map(before.map((row) => [row.seller, row]));
  for (const row of fresh) {
    const first = rows.get(row.seller);
    rows.set(row.seller, {
      ...row,
      elapsed_ms: (first?.elapsed_ms ?? 0) + row.elapsed_ms,
      items: (first?.items ?? 0) + row.items,
    });
  }
  return [...rows.values()];
}

function placeOf({ buy }: MediaBuyRecord): BuyPlace {
  return { madeAt: buy.createdAt, id: buy.id };
}
