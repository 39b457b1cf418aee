import {
  isFiguresAway,
  prefixId,
  type DeliveryReport,
  type DeliveryTotals,
  type MediaBuyDelivery,
  type PackageDelivery,
  type Finding,
  type DeliverySlice,
} from '@switchyard/protocol';
import { defined, type Instant } from '@switchyard/values';
import { microsToDecimal, roundToMicros } from '@switchyard/money';
import type { MediaBuyRecord } from '../model/operation.js';
import { isMadeOrMayBe } from '../model/leg-state.js';

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
      ? { totalsMissing: true, ...firstAvailable(parts.map((part) => part.delivery)) }
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
  const [first] = deliveries.flatMap((delivery) => delivery.expectedAvailability ?? []).sort();
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
      (candidate) =>
        candidate.connectionId === connectionId && candidate.delivery.mediaBuyId === sellerMediaBuyId,
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

/** One seller's part of a row. */
interface DeliveryPart {
  readonly seller: string;
  readonly delivery: MediaBuyDelivery;
}

interface PricingModels {
  /** The pricing model that all sellers share. */
  readonly common?: string;
  readonly findings: readonly (Finding & { readonly seller: string })[];
}

/** The pricing model of a buy over its sellers: a row has one, and packages have their own. */
export function pricingModels(parts: readonly DeliveryPart[]): PricingModels {
  const models = new Set(parts.map(({ delivery }) => delivery.pricingModel));
  const [first] = models;
  if (models.size === 1) return { ...(first === undefined ? {} : { common: first }), findings: [] };
  const findings = parts.flatMap(({ seller, delivery: { pricingModel } }) =>
    pricingModel === undefined
      ? []
      : [
          {
            seller,
            code: 'PRICING_MODEL_DIFFERS',
            message: `This seller is paid by ${pricingModel.slice(0, 64)}, and not all of the buy's others are.`,
            field: 'media_buy_deliveries[].pricing_model',
          },
        ],
  );
  return { findings };
}

/** Adds up slices with equal start and end. A slice that one seller lacks is left out: its sum is unknown. */
function slicesOf(deliveries: readonly MediaBuyDelivery[]): readonly DeliverySlice[] {
  const byEnds = new Map<string, DeliverySlice[]>();
  for (const slice of deliveries.flatMap((delivery) => delivery.slices ?? [])) {
    const ends = `${slice.start} ${slice.end}`;
    byEnds.set(ends, [...(byEnds.get(ends) ?? []), slice]);
  }
  return [...byEnds.keys()].sort().flatMap((ends) => {
    const slices = byEnds.get(ends) ?? [];
    const [first] = slices;
    if (first === undefined || slices.length < deliveries.length) return [];
    const { original: _none, ...sums } = addUp(slices.map((slice) => ({ ...slice, original: {} })));
    return [{ start: first.start, end: first.end, ...sums }];
  });
}

/** Adds up spend, impressions and clicks. A count that one part lacks is left out, not taken as zero. */
function addUp(parts: readonly DeliveryTotals[]): DeliveryTotals {
  const spend = parts.reduce((sum, part) => sum + spendOf(part), 0n);
  const counted = (read: (part: DeliveryTotals) => number | undefined): number | undefined => {
    const numbers = parts.map(read);
    const known = numbers.filter((number) => number !== undefined);
    return known.length === numbers.length && known.length > 0
      ? known.reduce((sum, number) => sum + number, 0)
      : undefined;
  };
  // Reach and frequency of a single seller are shown unchanged; over several sellers they have no sum.
  const [only] = parts;
  const impressions = counted((part) => part.impressions);
  const clicks = counted((part) => part.clicks);
  return {
    spend: microsToDecimal(spend),
    original: parts.length === 1 && only !== undefined ? only.original : {},
    ...defined({ impressions, clicks }),
  };
}

/**
 * Reported spend, rounded half-even to micros (docs/protocol/media-buys.md#money). The reader has already
 * checked that it is a number.
 */
function spendOf(part: DeliveryTotals): bigint {
  const micros = roundToMicros(part.spend);
  if (!micros.ok) throw new Error('A spend that was read is not a number.');
  return micros.value;
}
