import { defined, isJsonObject, type JsonObject } from '@switchyard/values';
import type { DeliveryReport, MediaBuyDelivery, PackageDelivery } from './delivery-report.js';
import type { ExactNumbers } from '../../task-spec.js';
import { hasFigures, isFiguresAway, readTotals } from './metrics.js';
import { momentIn, readPeriod } from './period.js';
import { readSlices } from './slices.js';
import { listAt, objectAt, textAt } from '../../message/pick.js';

interface ServiceDelivery {
  readonly report: DeliveryReport;
  /** Paths of figures that were left out because the seller reports them as not available yet. */
  readonly misplaced: readonly string[];
}

/**
 * Reads the `service` form's answer: `delivery` with the totals and `by_package` at the top level. It has no id of the
 * buy, so `media_buy_id` is read where a seller adds it, and is empty otherwise. A delayed answer has no figures,
 * whatever placeholders it has (docs/protocol/delivery.md#unknown-is-not-zero).
 */
export function readServiceDelivery(payload: JsonObject, exact: ExactNumbers): ServiceDelivery | undefined {
  const delivery = objectAt(payload, 'delivery');
  if (delivery === undefined) return undefined;
  const status = textAt(payload, 'media_buy_status') ?? textAt(delivery, 'status') ?? 'active';
  const isAway = isFiguresAway(status);
  const totals = isAway ? undefined : readTotals(delivery, '/delivery', exact);
  if (totals === undefined && !isAway) return undefined;
  const byPackage = (listAt(payload, 'by_package') ?? [])
    .map((item, index) => (isJsonObject(item) ? readRow(item, `/by_package/${index}`, exact) : undefined))
    .filter((row) => row !== undefined);
  const row: MediaBuyDelivery = {
    mediaBuyId: textAt(payload, 'media_buy_id') ?? textAt(delivery, 'media_buy_id') ?? '',
    status,
    isAdjusted: false,
    totals: totals ?? { spend: '0', original: {} },
    byPackage,
    ...defined({
      buyerRef: textAt(payload, 'buyer_ref'),
      totalsMissing: isAway ? true : undefined,
      expectedAvailability:
        status === 'reporting_delayed'
          ? (momentIn(delivery, 'expected_availability') ?? momentIn(payload, 'expected_availability'))
          : undefined,
      slices: readSlices(payload, '', exact),
    }),
  };
  const period = readPeriod(objectAt(payload, 'reporting_period') ?? objectAt(payload, 'date_range'));
  return {
    report: {
      partialData: false,
      deliveries: [row],
      ...defined({ period, currency: textAt(payload, 'currency') ?? 'USD' }),
    },
    misplaced: isAway && hasFigures(delivery) ? ['delivery'] : [],
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
