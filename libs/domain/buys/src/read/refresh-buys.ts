import {
  getMediaBuys as task,
  type GetMediaBuysRequest,
  hasFeature,
  isBuyOver,
  type MediaBuyView,
} from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { JsonObject } from '@switchyard/values';
import { byAccount } from '../plan/client-accounts.js';
import { queryBuys } from './query-buys.js';
import type { ReadRequest } from '../model/read-request.js';
import type { ReadPorts } from '../model/read-request.js';
import { isChangeUnderWay } from '../apply/change-under-way.js';
import { applyStatus } from '../apply/apply-status.js';
import type { MediaBuyRecord, SellerBuy } from '../model/operation.js';
import { readReportedPackages } from '../apply/reported-package.js';
import { reportsOtherDates } from '../apply/apply-reported-flight.js';
import { reportsOtherPackages } from '../apply/apply-reported-packages.js';
import type { BuysRefreshed } from '../apply/buys-refreshed.js';

/**
 * Queries the sellers of open buys for their states, stores what has changed, and rolls it up. Ended buys with an
 * impairment are included: an impairment may be reported after the end, and only a snapshot shows whether it still
 * holds. Sellers in `leftOut` (slugs) are not queried: what is stored for them stays.
 */
export async function refreshBuys(
  ports: ReadPorts,
  query: ReadRequest,
  records: readonly MediaBuyRecord[],
  {
    includeSnapshot = false,
    leftOut = new Set(),
  }: {
    readonly includeSnapshot?: boolean;
    readonly leftOut?: ReadonlySet<string>;
  } = {},
): Promise<BuysRefreshed> {
  const hurt = await hurtAndOver(ports, query, records);
  const open = records.flatMap((record) =>
    record.sellerBuys.filter(
      (item) =>
        !leftOut.has(item.seller) &&
        (isOpen(item) || (item.sellerMediaBuyId !== undefined && hurt.has(record.buy.id))),
    ),
  );
  const requests = await requestsFor(ports, query, open, includeSnapshot);
  // Taken before the query: whatever happens while a seller answers is newer than its answer.
  const at = ports.clock.now();
  const market = await queryBuys(ports, query, {
    spec: task,
    requests,
    count: (answer) => answer.mediaBuys.length,
  });
  const received = new Map<string, JsonObject>();
  const fresh = new Map<string, Pick<MediaBuyRecord, 'buy' | 'sellerBuys' | 'packages'>>();
  for (const leg of market.legs) {
    const reported =
      leg.answer === undefined || !hasFeature(leg.connection.form, 'buyDetails')
        ? []
        : readReportedPackages(leg.seller, leg.answer);
    for (const [id, members] of reported) received.set(id, members);
    for (const view of leg.answer?.mediaBuys ?? []) {
      const known = open.find(
        (item) => item.connectionId === leg.connection.id && item.sellerMediaBuyId === view.mediaBuyId,
      );
      if (known === undefined) continue;
      const current = await withoutPendingChange(ports, query, { records, known, view });
      const state = await ports.store.change(query.scope, known.legId, (before) =>
        applyStatus(before, known.id, current, at),
      );
      // In a release that does not list impairments, a missing list does not mean that there are none.
      if (hasFeature(leg.connection.form, 'impairments'))
        await ports.impairments?.recordSnapshot(query.scope, known, view.impairments, at);
      await ports.creativeApprovals?.recordSnapshot(query.scope, known, view.packages, at);
      if (state?.buy === undefined) continue;
      const { buy, sellerBuys, packages } = state;
      fresh.set(buy.id, { buy, sellerBuys, packages });
    }
  }
  return {
    records: records.map((record) => ({ ...record, ...fresh.get(record.buy.id) })),
    rows: market.rows,
    refusals: market.legs,
    reported: received,
  };
}

/**
 * Removes dates and packages from a seller's view while a change of ours is under way at that seller. They may be that
 * change, which is applied by its own answer; a change that the seller made by itself is applied by the next poll.
 */
async function withoutPendingChange(
  { store }: Pick<ReadPorts, 'store'>,
  { scope }: Pick<ReadRequest, 'scope'>,
  {
    records,
    known,
    view,
  }: { readonly records: readonly MediaBuyRecord[]; readonly known: SellerBuy; readonly view: MediaBuyView },
): Promise<MediaBuyView> {
  const record = records.find(({ buy }) => buy.id === known.mediaBuyId);
  if (record === undefined) return view;
  const isUpdate =
    reportsOtherPackages(record.packages, known, view.packages) || reportsOtherDates(record.buy, known, view);
  if (!isUpdate) return view;
  if (!(await isChangeUnderWay(store, scope, known))) return view;
  const { startTime: _start, endTime: _end, ...others } = view;
  return { ...others, packages: [] };
}

/** Ids of buys with an ended part and a stored impairment. */
async function hurtAndOver(
  { impairments }: ReadPorts,
  { scope }: ReadRequest,
  records: readonly MediaBuyRecord[],
): Promise<ReadonlySet<string>> {
  const over = records.filter(({ sellerBuys }) => sellerBuys.some(({ status }) => isBuyOver(status)));
  if (impairments === undefined || over.length === 0) return new Set();
  const known = await impairments.of(
    scope,
    over.map(({ buy }) => buy.id),
  );
  return new Set([...known].filter(([, listed]) => listed.length > 0).map(([id]) => id));
}

function isOpen(item: SellerBuy): boolean {
  return item.sellerMediaBuyId !== undefined && !isBuyOver(item.status);
}

async function requestsFor(
  ports: ReadPorts,
  query: ReadRequest,
  open: readonly SellerBuy[],
  includeSnapshot: boolean,
): Promise<ReadonlyMap<Connection, GetMediaBuysRequest>> {
  const requests = new Map<Connection, GetMediaBuysRequest>();
  for (const connection of open.length === 0 ? [] : await ports.connections.list(query.scope)) {
    const there = open.filter((item) => item.connectionId === connection.id);
    for (const [seller, items] of byAccount(connection, there)) {
      const ids = items.flatMap((item) => item.sellerMediaBuyId ?? []);
      if (ids.length > 0)
        requests.set(seller, { mediaBuyIds: ids, ...(includeSnapshot ? { includeSnapshot } : {}) });
    }
  }
  return requests;
}
