import {
  getMediaBuys as task,
  type GetMediaBuysRequest,
  hasFeature,
  isBuyOver,
  type MediaBuyView,
  type SellerRow,
} from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { JsonObject } from '@switchyard/values';
import { queryBuys, type ReadRequest, type ReadPorts } from './query-buys.js';
import { isChangeUnderWay } from '../observe/change-under-way.js';
import { applyStatus } from '../observe/apply-status.js';
import type { MediaBuyRecord, SellerBuy } from '../model/operation.js';
import { readReportedPackages, type ReportedPackages } from '../observe/package-told.js';
import type { GatheredLeg } from '../market/gather-read.js';
import { saysOtherDates } from '../observe/apply-reported-flight.js';
import { saysOtherwise } from '../observe/apply-reported-packages.js';

/** What a seller refused a question with; nothing where it answered. */
export type SellerRefusal = Pick<GatheredLeg<unknown>, 'seller' | 'errors'>;

export interface BuysRefreshed {
  readonly records: readonly MediaBuyRecord[];
  readonly rows: readonly SellerRow[];
  readonly refusals: readonly SellerRefusal[];
  /** What sellers tell of packages beside their states. */
  readonly reported: ReportedPackages;
}

/**
 * Asks the sellers of open buys how they stand, stores what is new, and rolls it up. Also of those that are over and are
 * said to be hurt: news of an impairment may come after the end, and only the snapshot tells whether it still holds. The
 * sellers that are left out, by their slugs, are not asked: what was last seen there stands.
 */
export async function refreshBuys(
  ports: ReadPorts,
  query: ReadRequest,
  records: readonly MediaBuyRecord[],
  includeSnapshot = false,
  leftOut: ReadonlySet<string> = new Set(),
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
  // What happens while a seller answers is newer than its answer.
  const at = ports.clock.now();
  const market = await queryBuys(ports, query, task, requests, (answer) => answer.mediaBuys.length);
  const told = new Map<string, JsonObject>();
  const fresh = new Map<string, Pick<MediaBuyRecord, 'buy' | 'sellerBuys' | 'packages'>>();
  for (const leg of market.legs) {
    const reported =
      leg.answer === undefined || !hasFeature(leg.connection.form, 'buyDetails')
        ? []
        : readReportedPackages(leg.seller, leg.answer);
    for (const [id, members] of reported) told.set(id, members);
    for (const view of leg.answer?.mediaBuys ?? []) {
      const known = open.find(
        (item) => item.connectionId === leg.connection.id && item.sellerMediaBuyId === view.mediaBuyId,
      );
      if (known === undefined) continue;
      const held = await withoutOurOwnDoing(ports, query, records, known, view);
      const state = await ports.store.change(query.scope, known.legId, (before) =>
        applyStatus(before, known.id, held, at),
      );
      // Where a seller's release does not list impairments, silence says nothing.
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
    reported: told,
  };
}

/**
 * What a seller says of its dates and its packages while a change of ours is on its way there may be that change: it
 * is taken over by the answer to it, and what is the seller's own doing by the next look.
 */
async function withoutOurOwnDoing(
  { store }: Pick<ReadPorts, 'store'>,
  { scope }: Pick<ReadRequest, 'scope'>,
  records: readonly MediaBuyRecord[],
  known: SellerBuy,
  view: MediaBuyView,
): Promise<MediaBuyView> {
  const record = records.find(({ buy }) => buy.id === known.mediaBuyId);
  if (record === undefined) return view;
  const isNews =
    saysOtherwise(record.packages, known, view.packages) || saysOtherDates(record.buy, known, view);
  if (!isNews) return view;
  if (!(await isChangeUnderWay(store, scope, known))) return view;
  const { startTime: _start, endTime: _end, ...others } = view;
  return { ...others, packages: [] };
}

/** Buys of ours with a part that is over, of which something is kept that hurts them. */
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
    const ids = open
      .filter((item) => item.connectionId === connection.id)
      .flatMap((item) => item.sellerMediaBuyId ?? []);
    if (ids.length > 0)
      requests.set(connection, { mediaBuyIds: ids, ...(includeSnapshot ? { includeSnapshot } : {}) });
  }
  return requests;
}
