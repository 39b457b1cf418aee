import {
  isFiguresAway,
  prefixId,
  type DeliveryReport,
  type DeliveryTotals,
  type MediaBuyDelivery,
  type PackageDelivery,
} from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';
import { addUp, slicesOf } from './add-up-figures.js';
import type { MediaBuyRecord } from '../model/operation.js';
import { pricingModels, type DeliveryPart } from '../model/terms/pricing-models.js';
import { isMadeOrMayBe } from '../observe/roll-up-operation.js';

/** What one seller said of one buy of its own, or reported last. */
export interface Said {
  readonly delivery: MediaBuyDelivery;
  readonly connectionId: string;
  readonly period?: DeliveryReport['period'] | undefined;
  readonly asOf: Instant;
}

/** One seller's part of a buy. Without figures it is unknown what was delivered there, which is not nothing. */
export interface SellerDelivery {
  readonly seller: string;
  readonly mediaBuyId: string;
  readonly currency: string;
  readonly totals?: DeliveryTotals;
  /** Of when the figures are: now for an answer, the last report for a seller that gave none. */
  readonly asOf?: Instant;
  /** When a seller that has no figures yet expects to have them: RFC 3339 UTC. */
  readonly expectedAvailability?: string;
}

/** What was said of one buy, by whom. */
export function partsOf(record: MediaBuyRecord, reported: readonly Said[]): readonly DeliveryPart[] {
  return reported.flatMap(({ delivery, connectionId }) => {
    const sellerBuy = record.sellerBuys.find(
      (item) => item.connectionId === connectionId && item.sellerMediaBuyId === delivery.mediaBuyId,
    );
    return sellerBuy === undefined ? [] : [{ delivery, seller: sellerBuy.seller }];
  });
}

/** One buy's delivery over its sellers, added up from what each of them said. */
export function deliveryOf(record: MediaBuyRecord, reported: readonly Said[]): MediaBuyDelivery {
  const parts = partsOf(record, reported);
  const { common: pricingModel } = pricingModels(parts);
  const known = parts.filter(({ delivery }) => delivery.totalsMissing !== true);
  const totals = addUp(known.map((part) => part.delivery.totals));
  const slices = slicesOf(known.map(({ delivery }) => delivery));
  return {
    mediaBuyId: record.buy.id,
    // Delayed is unknown: where nobody gave a figure, the row says so and counts in no sum.
    status: known.length === 0 && record.sellerBuys.length > 0 ? 'reporting_delayed' : record.buy.status,
    ...(known.length === 0
      ? { totalsMissing: true, ...firstAvailable(parts.map((one) => one.delivery)) }
      : {}),
    ...(slices.length === 0 ? {} : { slices }),
    isAdjusted: parts.some((part) => part.delivery.isAdjusted),
    ...finalityOf(record, known),
    ...(pricingModel === undefined ? {} : { pricingModel }),
    totals,
    // What stands in the packages of a delayed row holds a place, as in its totals.
    byPackage: parts.flatMap(({ delivery, seller }) =>
      isFiguresAway(delivery.status) ? [] : delivery.byPackage.map((row) => packageRow(record, seller, row)),
    ),
    ...(record.buy.buyerRef === undefined ? {} : { buyerRef: record.buy.buyerRef }),
  };
}

/**
 * Final is what all of its sellers call so, with each of its packages in one and the same measurement window, and
 * provisional what one of them does; of what a seller says nothing, or has not made yet, nobody knows
 * (docs/protocol/delivery.md#sums).
 */
function finalityOf(
  { sellerBuys }: MediaBuyRecord,
  known: readonly { readonly delivery: MediaBuyDelivery }[],
): Pick<MediaBuyDelivery, 'isFinal' | 'finalizedAt'> {
  const flags = known.map(({ delivery }) => delivery.isFinal);
  if (flags.includes(false)) return { isFinal: false };
  const isWhole = flags.length > 0 && flags.length === sellerBuys.filter(isMadeOrMayBe).length;
  const packages = known.flatMap(({ delivery }) => delivery.byPackage);
  const isOneWindow = new Set(packages.map(({ measurementWindow }) => measurementWindow)).size <= 1;
  const isAgreed = [...flags, ...packages.map(({ isFinal }) => isFinal)].every((flag) => flag === true);
  if (!isWhole || !isOneWindow || !isAgreed) return {};
  const ends = known.map(({ delivery }) => Date.parse(delivery.finalizedAt ?? ''));
  // The last seller that closed its books closed the row. Of one that does not say when, nobody knows.
  const last = Math.max(...ends);
  return { isFinal: true, ...(Number.isNaN(last) ? {} : { finalizedAt: new Date(last).toISOString() }) };
}

/** The first time at which one of the sellers expects figures: from then on the row is known in part. */
function firstAvailable(
  deliveries: readonly MediaBuyDelivery[],
): Pick<MediaBuyDelivery, 'expectedAvailability'> {
  const [first] = deliveries.flatMap((one) => one.expectedAvailability ?? []).sort();
  return first === undefined ? {} : { expectedAvailability: first };
}

function packageRow(record: MediaBuyRecord, seller: string, row: PackageDelivery): PackageDelivery {
  const known = record.packages.find(
    (item) => item.seller === seller && item.sellerPackageId === row.packageId,
  );
  return {
    ...row,
    packageId: prefixId(seller, row.packageId),
    currency: row.currency ?? record.buy.currency,
    ...(known?.buyerRef === undefined ? {} : { buyerRef: known.buyerRef }),
  };
}

/** Each seller's part of one buy, whether or not it said anything. */
export function sellersOf(record: MediaBuyRecord, reported: readonly Said[]): readonly SellerDelivery[] {
  return record.sellerBuys.map(({ seller, connectionId, sellerMediaBuyId }) => {
    const part = reported.find(
      (one) => one.connectionId === connectionId && one.delivery.mediaBuyId === sellerMediaBuyId,
    );
    return {
      seller,
      mediaBuyId: record.buy.id,
      currency: record.buy.currency,
      ...(part === undefined || part.delivery.totalsMissing === true
        ? firstAvailable(part === undefined ? [] : [part.delivery])
        : { totals: part.delivery.totals, asOf: part.asOf }),
    };
  });
}
