import { roundToMicros } from '@switchyard/money';
import type { DeliveryReport, Finding, MediaBuyDelivery } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { MediaBuyRecord } from '../model/operation.js';

/** The finding for a seller that reports in another currency than the buy's. */
const currencyMismatch = 'CURRENCY_MISMATCH';

/** A seller's rows that can be added up, and findings on the figures that were left out. */
interface InBuysCurrency {
  readonly deliveries: readonly MediaBuyDelivery[];
  readonly findings: readonly (Finding & { readonly seller: string })[];
}

/**
 * Removes the figures of rows in another currency than their buy: there is no exchange rate, and amounts in
 * two currencies have no sum (docs/protocol/media-buys.md#money). The currency of the report applies to
 * packages that name none; the service form names none, so the buy's currency is assumed. Figures with too
 * many digits are removed too.
 */
export function inBuysCurrency(
  { form, id, slug }: Pick<Connection, 'form' | 'id' | 'slug'>,
  report: DeliveryReport,
  records: readonly MediaBuyRecord[],
): InBuysCurrency {
  const findings: (Finding & { readonly seller: string })[] = [];
  const deliveries = report.deliveries.map((delivery) => {
    const record = records.find(({ sellerBuys }) =>
      sellerBuys.some(
        (sellerBuy) => sellerBuy.connectionId === id && sellerBuy.sellerMediaBuyId === delivery.mediaBuyId,
      ),
    );
    if (record === undefined) return delivery;
    const { currency } = record.buy;
    const named = [
      ...(form === 'service' && report.currency === 'USD' ? [] : [report.currency]),
      ...delivery.byPackage.map((row) => row.currency),
    ];
    const other = named.find((code) => code !== undefined && code !== currency);
    if (other === undefined) {
      if (isCountable(delivery)) return delivery;
      const message = 'It reports an amount with too many digits: its figures are left out.';
      findings.push({ seller: slug, code: 'AMOUNT_TOO_LARGE', message, field: record.buy.id });
      return withoutFigures(delivery);
    }
    const message = `It reports in ${other} what was bought in ${currency}: its figures are left out.`;
    findings.push({ seller: slug, code: currencyMismatch, message, field: record.buy.id });
    return withoutFigures(delivery);
  });
  return { deliveries, findings };
}

function isCountable({ totals, slices = [], byPackage }: MediaBuyDelivery): boolean {
  return [totals, ...slices, ...byPackage].every(({ spend }) => roundToMicros(spend).ok);
}

/** A row without known figures. */
export function withoutFigures({ slices: _others, ...delivery }: MediaBuyDelivery): MediaBuyDelivery {
  return { ...delivery, totals: { spend: '0', original: {} }, totalsMissing: true, byPackage: [] };
}
