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

/** One seller's delivery of one buy: its answer, or its last report. */
export interface ReportedDelivery {
  readonly delivery: MediaBuyDelivery;
  readonly connectionId: string;
  readonly period?: DeliveryReport['period'] | undefined;
  readonly asOf: Instant;
}

/** One seller's part of a buy. Without figures its delivery is unknown, which is not zero. */
export interface SellerDelivery {
  readonly seller: string;
  readonly mediaBuyId: string;
  readonly currency: string;
  readonly totals?: DeliveryTotals;
  /** Time of the figures: the time of an answer, or of the last report of a seller without an answer. */
  readonly asOf?: Instant;
  /** When a seller without figures expects to have them: RFC 3339 UTC. */
  readonly expectedAvailability?: string;
}

/** The reported deliveries of one buy, with their sellers. */
export function partsOf(
  record: MediaBuyRecord,
  reported: readonly ReportedDelivery[],
): readonly DeliveryPart[] {
  return reported.flatMap(({ delivery, connectionId }) => {
    const sellerBuy = record.sellerBuys.find(
      (item) => item.connectionId === connectionId && item.sellerMediaBuyId === delivery.mediaBuyId,
    );
    return sellerBuy === undefined ? [] : [{ delivery, seller: sellerBuy.seller }];
  });
}

/** One buy's delivery, added up over its sellers. */
export function deliveryOf(record: MediaBuyRecord, reported: readonly ReportedDelivery[]): MediaBuyDelivery {
  const parts = partsOf(record, reported);
  const { common: pricingModel } = pricingModels(parts);
  const known = parts.filter(({ delivery }) => delivery.totalsMissing !== true);
  const totals = addUp(known.map((part) => part.delivery.totals));
  const slices = slicesOf(known.map(({ delivery }) => delivery));
  return {
    mediaBuyId: record.buy.id,
    // `reporting_delayed` means unknown: without any figure the row has this status and counts in no sum.
    status: known.length === 0 && record.sellerBuys.length > 0 ? 'reporting_delayed' : record.buy.status,
    ...(known.length === 0
      ? { totalsMissing: true, ...firstAvailable(parts.map((one) => one.delivery)) }
      : {}),
    ...(slices.length === 0 ? {} : { slices }),
    isAdjusted: parts.some((part) => part.delivery.isAdjusted),
    ...finalityOf(record, known),
    ...(pricingModel === undefined ? {} : { pricingModel }),
    totals,
    // Package figures of a delayed row are placeholders, like its totals.
    byPackage: parts.flatMap(({ delivery, seller }) =>
      isFiguresAway(delivery.status) ? [] : delivery.byPackage.map((row) => packageRow(record, seller, row)),
    ),
    ...(record.buy.buyerRef === undefined ? {} : { buyerRef: record.buy.buyerRef }),
  };
}

/**
 * Whether the row is final. True only if all sellers report final figures, with all packages in one
 * measurement window; false if one seller reports provisional figures; otherwise unknown
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
  // The row is final when the last seller is. Without the time of one seller it is unknown.
  const last = Math.max(...ends);
  return { isFinal: true, ...(Number.isNaN(last) ? {} : { finalizedAt: new Date(last).toISOString() }) };
}

/** The earliest time at which a seller expects figures: from then on a part of the row is known. */
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

/** Each seller's part of one buy, with or without figures. */
export function sellersOf(
  record: MediaBuyRecord,
  reported: readonly ReportedDelivery[],
): readonly SellerDelivery[] {
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
