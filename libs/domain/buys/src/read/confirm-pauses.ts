import {
  isBuyOver,
  readBuyStatus,
  type CreatedPackage,
  type DeliveryReport,
  type MediaBuyDelivery,
} from '@switchyard/protocol';
import type { MarketLeg } from '@switchyard/fanout';
import type { Instant } from '@switchyard/values';
import type { ReadRequest } from '../model/read-request.js';
import type { ReadPorts } from '../model/read-request.js';
import { isChangeUnderWay } from '../apply/change-under-way.js';
import type { MediaBuyRecord, SellerBuy } from '../model/operation.js';
import type { OperationState } from '../model/operation-state.js';
import { reportsOtherPackages, applyReportedPackages } from '../apply/apply-reported-packages.js';

/**
 * Applies which packages are paused, read from the delivery rows of a query
 * (docs/protocol/delivery.md#pauses-in-delivery-rows): older releases have no other place for it. Pushed reports are not
 * read for this, because they describe their period and not the present.
 */
export async function confirmPauses(
  ports: Pick<ReadPorts, 'store'>,
  { scope }: Pick<ReadRequest, 'scope'>,
  {
    records,
    legs,
    at,
  }: {
    readonly records: readonly MediaBuyRecord[];
    readonly legs: readonly MarketLeg<DeliveryReport>[];
    readonly at: Instant;
  },
): Promise<void> {
  for (const { connection, answer } of legs)
    for (const delivery of answer?.deliveries ?? []) {
      const received = pausesIn(delivery);
      const place = placeOf(records, connection.id, delivery);
      if (received.length === 0 || place === undefined || isBuyOver(place.sellerBuy.status)) continue;
      const { record, sellerBuy } = place;
      if (!reportsOtherPackages(record.packages, asReported(sellerBuy, delivery), received)) continue;
      if (await isChangeUnderWay(ports.store, scope, sellerBuy)) continue;
      await ports.store.change(scope, sellerBuy.legId, (state) =>
        foldPauses(state, sellerBuy.id, delivery, at),
      );
    }
}

function foldPauses(
  state: OperationState,
  sellerBuyId: string,
  delivery: MediaBuyDelivery,
  at: Instant,
): OperationState {
  const known = state.sellerBuys.find(({ id }) => id === sellerBuyId);
  const leg = state.legs.find(({ id }) => id === known?.legId);
  if (known === undefined || leg === undefined || state.buy === undefined) return state;
  if (isBuyOver(known.status) || (known.statusAsOf ?? at) > at) return state;
  const sellerBuy = asReported(known, delivery);
  const taken = applyReportedPackages(state, { leg, sellerBuy, at }, pausesIn(delivery));
  const revision = state.buy.revision + (taken.changes.length > 0 ? 1 : 0);
  const update = [...taken.changes, ...taken.refusals].map((change) => ({ ...change, revision }));
  if (update.length === 0) return state;
  return {
    ...state,
    buy: { ...state.buy, revision, updatedAt: Math.max(state.buy.updatedAt, at) },
    packages: taken.packages,
    legs: taken.legs,
    changes: [...(state.changes ?? []), ...update],
  };
}

/** A seller may show every package of a paused part as paused: the row of the whole buy shows whether it is. */
function asReported(sellerBuy: SellerBuy, { status }: MediaBuyDelivery): SellerBuy {
  return readBuyStatus(status) === 'paused' ? { ...sellerBuy, status: 'paused' } : sellerBuy;
}

function pausesIn({ byPackage }: MediaBuyDelivery): readonly CreatedPackage[] {
  return byPackage.flatMap(({ packageId, paused }) =>
    paused === undefined ? [] : [{ packageId, paused, original: { form: 'ours' as const, value: {} } }],
  );
}

function placeOf(
  records: readonly MediaBuyRecord[],
  connectionId: string,
  { mediaBuyId }: MediaBuyDelivery,
): { readonly record: MediaBuyRecord; readonly sellerBuy: SellerBuy } | undefined {
  for (const record of records) {
    const sellerBuy = record.sellerBuys.find(
      (candidate) => candidate.connectionId === connectionId && candidate.sellerMediaBuyId === mediaBuyId,
    );
    if (sellerBuy !== undefined) return { record, sellerBuy };
  }
  return undefined;
}
