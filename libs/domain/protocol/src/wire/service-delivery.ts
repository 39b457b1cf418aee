import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { DeliveryReading } from '../delivery-report.js';
import type { MediaBuyDelivery, PackageDelivery } from '../model/delivery-report.js';
import type { ExactNumbers } from '../task-spec.js';
import { readTotals } from './metrics.js';
import { readPeriod } from './period.js';
import { readSlices } from './slices.js';
import { defined, listAt, objectAt, textAt } from './pick.js';

/**
 * The service description's answer: `delivery` with the totals and `by_package` at the top level. It names no buy
 * of its own, so `media_buy_id` is read where a seller adds it, and is empty where the question told it.
 */
export function readServiceDelivery(payload: JsonObject, exact: ExactNumbers): DeliveryReading | undefined {
  const delivery = objectAt(payload, 'delivery');
  const totals = delivery === undefined ? undefined : readTotals(delivery, '/delivery', exact);
  if (delivery === undefined || totals === undefined) return undefined;
  const byPackage = (listAt(payload, 'by_package') ?? [])
    .map((item, index) => (isJsonObject(item) ? readRow(item, `/by_package/${index}`, exact) : undefined))
    .filter((row) => row !== undefined);
  const row: MediaBuyDelivery = {
    mediaBuyId: textAt(payload, 'media_buy_id') ?? textAt(delivery, 'media_buy_id') ?? '',
    status: textAt(payload, 'media_buy_status') ?? textAt(delivery, 'status') ?? 'active',
    isAdjusted: false,
    totals,
    byPackage,
    ...defined({ buyerRef: textAt(payload, 'buyer_ref'), slices: readSlices(payload, '', exact) }),
  };
  const period = readPeriod(objectAt(payload, 'reporting_period') ?? objectAt(payload, 'date_range'));
  return {
    report: {
      partialData: false,
      deliveries: [row],
      ...defined({ period, currency: textAt(payload, 'currency') ?? 'USD' }),
    },
    findings: [],
  };
}

function readRow(value: JsonObject, pointer: string, exact: ExactNumbers): PackageDelivery | undefined {
  const packageId = textAt(value, 'package_id');
  const totals = readTotals(value, pointer, exact);
  if (packageId === undefined || totals === undefined) return undefined;
  return {
    ...totals,
    packageId,
    ...defined({ buyerRef: textAt(value, 'buyer_ref'), currency: textAt(value, 'currency') }),
  };
}
