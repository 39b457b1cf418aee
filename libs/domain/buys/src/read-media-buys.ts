import {
  getMediaBuys as task,
  isBuyOver,
  rollUp,
  taskError,
  type GetMediaBuysRequest,
  type MediaBuyView,
  type SellerRow,
  type TaskError,
} from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { askBuys, type ReadAsk, type ReadPorts } from './ask-buys.js';
import { viewBuy } from './buy-view.js';
import type { MediaBuyRecord, SellerBuy } from './operation.js';

/** How many buys one answer holds at most. */
export const buysAtMost = 100;

export interface MediaBuysRead {
  readonly mediaBuys: readonly MediaBuyView[];
  readonly records: readonly MediaBuyRecord[];
  readonly rows: readonly SellerRow[];
  /** Ids that were asked for and are not the caller's, one error each. */
  readonly errors: readonly TaskError[];
}

/**
 * A principal's media buys, their statuses freshly asked of the sellers. A seller that does not answer leaves the
 * status as it was last known, and `status_as_of` says of when that is.
 */
export async function readMediaBuys(
  ports: ReadPorts,
  ask: ReadAsk & { readonly principalId: string },
  request: GetMediaBuysRequest,
): Promise<MediaBuysRead> {
  const { mediaBuyIds, buyerRefs } = request;
  const records = await ports.store.mediaBuys(ask.scope, {
    principalId: ask.principalId,
    limit: buysAtMost,
    ...(mediaBuyIds === undefined ? {} : { ids: mediaBuyIds }),
    ...(buyerRefs === undefined ? {} : { buyerRefs }),
  });
  const refreshed = await refreshBuys(ports, ask, records);
  const named = mediaBuyIds !== undefined || buyerRefs !== undefined;
  const wanted = request.statusFilter ?? (named ? undefined : ['active']);
  const shown = refreshed.records.filter(({ buy }) => wanted === undefined || wanted.includes(buy.status));
  return {
    mediaBuys: shown.map(viewBuy),
    records: shown,
    rows: refreshed.rows,
    errors: missingIds(mediaBuyIds, records),
  };
}

/** One error per id that is not there or not the caller's: the two look the same from outside. */
export function missingIds(
  wanted: readonly string[] | undefined,
  found: readonly MediaBuyRecord[],
): readonly TaskError[] {
  const known = new Set(found.map(({ buy }) => buy.id));
  return (wanted ?? []).flatMap((id, index) =>
    known.has(id)
      ? []
      : [
          taskError('MEDIA_BUY_NOT_FOUND', 'No media buy of yours has this id.', {
            field: `media_buy_ids[${index}]`,
          }),
        ],
  );
}

/** Asks the sellers of open buys how they stand, stores what is new, and rolls it up. */
export async function refreshBuys(
  ports: ReadPorts,
  ask: ReadAsk,
  records: readonly MediaBuyRecord[],
): Promise<{ readonly records: readonly MediaBuyRecord[]; readonly rows: readonly SellerRow[] }> {
  const open = records
    .flatMap((record) => record.sellerBuys)
    .filter((item) => item.sellerMediaBuyId !== undefined && !isBuyOver(item.status));
  const connections = open.length === 0 ? [] : await ports.connections.list(ask.scope);
  const requests = new Map<Connection, GetMediaBuysRequest>();
  for (const connection of connections) {
    const ids = open
      .filter((item) => item.connectionId === connection.id)
      .flatMap((item) => item.sellerMediaBuyId ?? []);
    if (ids.length > 0) requests.set(connection, { mediaBuyIds: ids });
  }
  const market = await askBuys(ports, ask, task, requests, (answer) => answer.mediaBuys.length);
  const at = ports.clock.now();
  const fresh = new Map<string, SellerBuy>();
  for (const leg of market.legs) {
    for (const view of leg.answer?.mediaBuys ?? []) {
      const known = open.find(
        (item) => item.connectionId === leg.connection.id && item.sellerMediaBuyId === view.mediaBuyId,
      );
      if (known === undefined) continue;
      const seen = {
        ...known,
        status: view.status,
        statusAsOf: at,
        ...(view.revision === undefined ? {} : { revision: view.revision }),
      };
      fresh.set(known.id, seen);
      await ports.store.saveSellerBuy(ask.scope, seen, at);
    }
  }
  const refreshed = records.map((record) => withFresh(record, fresh));
  for (const [index, { buy }] of refreshed.entries()) {
    if (buy.status !== records[index]?.buy.status)
      await ports.store.saveBuyStatus(ask.scope, buy.id, buy.status, at);
  }
  return { records: refreshed, rows: market.rows };
}

function withFresh(record: MediaBuyRecord, fresh: ReadonlyMap<string, SellerBuy>): MediaBuyRecord {
  const sellerBuys = record.sellerBuys.map((item) => fresh.get(item.id) ?? item);
  const made = sellerBuys.filter((item) => item.sellerMediaBuyId !== undefined);
  const status = made.length > 0 ? rollUp(made.map((item) => item.status)) : record.buy.status;
  return { ...record, sellerBuys, buy: { ...record.buy, status } };
}
