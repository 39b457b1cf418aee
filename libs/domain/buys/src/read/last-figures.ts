import { microsToDecimal } from '@switchyard/money';
import type { DeliveryTotals, MediaBuyDelivery, PackageDelivery, SellerRow } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { LastFigure, LastFigures } from '../model/last-figures.js';
import type { MediaBuyRecord } from '../model/operation.js';

/** The last report on a seller's part of a buy, which replaces a missing answer. */
export interface LastPart {
  readonly delivery: MediaBuyDelivery;
  readonly connectionId: string;
  readonly asOf: Instant;
  readonly row: SellerRow;
}

/** The last figures of sellers that did not answer. A seller that never reported has none: its delivery is unknown. */
export async function lastFiguresOf(
  figures: LastFigures,
  scope: TenantScope,
  records: readonly MediaBuyRecord[],
  rows: readonly SellerRow[],
): Promise<readonly LastPart[]> {
  const silent = new Map(rows.filter(({ status }) => status !== 'answered').map((row) => [row.seller, row]));
  const parts = records.map(async (record): Promise<readonly LastPart[]> => {
    const missing = record.sellerBuys.filter(({ seller }) => silent.has(seller));
    if (missing.length === 0) return [];
    const reported = await figures.deliveredBy(scope, record.buy.id);
    return missing.flatMap(({ seller, connectionId, sellerMediaBuyId: mediaBuyId }) => {
      const own = reported.filter((figure) => figure.seller === seller);
      const row = silent.get(seller);
      if (own.length === 0 || row === undefined || mediaBuyId === undefined) return [];
      // The oldest time, because the sum is no newer than its oldest part.
      const asOf = Math.min(...own.map((figure) => figure.asOf));
      return [{ delivery: deliveryOf(mediaBuyId, own), connectionId, asOf, row }];
    });
  });
  return (await Promise.all(parts)).flat();
}

function deliveryOf(mediaBuyId: string, figures: readonly LastFigure[]): MediaBuyDelivery {
  return {
    mediaBuyId,
    status: 'active',
    isAdjusted: false,
    totals: totalsOf(figures),
    byPackage: figures
      .filter(({ packageRef }) => packageRef !== '')
      .map((figure): PackageDelivery => ({ ...totalsOf([figure]), packageId: figure.packageRef })),
  };
}

function totalsOf(figures: readonly LastFigure[]): DeliveryTotals {
  const spend = figures.reduce((sum, { spendMicros }) => sum + spendMicros, 0n);
  const counts = figures.flatMap(({ impressions }) => impressions ?? []);
  return {
    spend: microsToDecimal(spend),
    original: {},
    ...(counts.length < figures.length
      ? {}
      : { impressions: Number(counts.reduce((sum, count) => sum + count, 0n)) }),
  };
}
