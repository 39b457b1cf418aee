import { microsToDecimal, roundToMicros } from '@switchyard/money';
import {
  getMediaBuyDelivery as task,
  prefixId,
  type DeliveryReport,
  type DeliveryTotals,
  type GetMediaBuyDeliveryRequest,
  type MediaBuyDelivery,
  type PackageDelivery,
  type SellerRow,
  type TaskError,
} from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { askBuys, type ReadAsk, type ReadPorts } from './ask-buys.js';
import type { MediaBuyRecord } from './operation.js';
import { buysAtMost, missingIds } from './read-media-buys.js';

export interface DeliveryRead {
  readonly report: DeliveryReport;
  readonly rows: readonly SellerRow[];
  readonly errors: readonly TaskError[];
}

/**
 * Delivery of a principal's buys, asked of the sellers now. Figures are added up only inside one buy, which has one
 * currency; a seller that did not answer is missing from the sum and has its row, never a zero.
 */
export async function readDelivery(
  ports: ReadPorts,
  ask: ReadAsk & { readonly principalId: string },
  request: GetMediaBuyDeliveryRequest,
): Promise<DeliveryRead> {
  const { mediaBuyIds, buyerRefs } = request;
  const records = await ports.store.mediaBuys(ask.scope, {
    principalId: ask.principalId,
    limit: buysAtMost,
    ...(mediaBuyIds === undefined ? {} : { ids: mediaBuyIds }),
    ...(buyerRefs === undefined ? {} : { buyerRefs }),
  });
  const market = await askBuys(
    ports,
    ask,
    task,
    await requestsFor(ports, ask, records, request),
    (answer) => answer.deliveries.length,
  );
  const said = market.legs.flatMap((leg) =>
    (leg.answer?.deliveries ?? []).map((delivery) => ({
      delivery,
      connectionId: leg.connection.id,
      period: leg.answer?.period,
    })),
  );
  const periods = said.flatMap((item) => item.period ?? []);
  const [firstRecord] = records;
  return {
    rows: market.rows,
    errors: missingIds(mediaBuyIds, records),
    report: {
      partialData: market.rows.some((row) => row.status !== 'answered'),
      currency: firstRecord?.buy.currency ?? 'USD',
      period: periodOf(periods, ports.clock.now()),
      deliveries: records.map((record) => deliveryOf(record, said)),
    },
  };
}

async function requestsFor(
  ports: ReadPorts,
  ask: ReadAsk,
  records: readonly MediaBuyRecord[],
  request: GetMediaBuyDeliveryRequest,
): Promise<ReadonlyMap<Connection, GetMediaBuyDeliveryRequest>> {
  const made = records
    .flatMap((record) => record.sellerBuys)
    .filter((item) => item.sellerMediaBuyId !== undefined);
  const { account: _ours, buyerRefs: _too, ...rest } = request;
  const requests = new Map<Connection, GetMediaBuyDeliveryRequest>();
  for (const connection of made.length === 0 ? [] : await ports.connections.list(ask.scope)) {
    const ids = made
      .filter((item) => item.connectionId === connection.id)
      .flatMap((item) => item.sellerMediaBuyId ?? []);
    if (ids.length > 0) requests.set(connection, { ...rest, mediaBuyIds: ids });
  }
  return requests;
}

type Said = { readonly delivery: MediaBuyDelivery; readonly connectionId: string };

function deliveryOf(record: MediaBuyRecord, said: readonly Said[]): MediaBuyDelivery {
  const parts = said.flatMap(({ delivery, connectionId }) => {
    const sellerBuy = record.sellerBuys.find(
      (item) => item.connectionId === connectionId && item.sellerMediaBuyId === delivery.mediaBuyId,
    );
    return sellerBuy === undefined ? [] : [{ delivery, seller: sellerBuy.seller }];
  });
  const totals = addUp(parts.map((part) => part.delivery.totals));
  return {
    mediaBuyId: record.buy.id,
    status: record.buy.status,
    isAdjusted: parts.some((part) => part.delivery.isAdjusted),
    totals,
    byPackage: parts.flatMap(({ delivery, seller }) =>
      delivery.byPackage.map((row) => packageRow(record, seller, row)),
    ),
    ...(record.buy.buyerRef === undefined ? {} : { buyerRef: record.buy.buyerRef }),
  };
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

/** Spend, impressions and clicks add up; a count that one part does not give is left out, not taken for zero. */
function addUp(parts: readonly DeliveryTotals[]): DeliveryTotals {
  const spend = parts.reduce((sum, part) => sum + spendOf(part), 0n);
  const counted = (read: (part: DeliveryTotals) => number | undefined): number | undefined => {
    const numbers = parts.map(read);
    const known = numbers.filter((number) => number !== undefined);
    return known.length === numbers.length && known.length > 0
      ? known.reduce((sum, number) => sum + number, 0)
      : undefined;
  };
  const impressions = counted((part) => part.impressions);
  const clicks = counted((part) => part.clicks);
  return {
    spend: microsToDecimal(spend),
    original: {},
    ...(impressions === undefined ? {} : { impressions }),
    ...(clicks === undefined ? {} : { clicks }),
  };
}

/** The reader has let nothing but a number through; reported spend is rounded half-even to micros (ruling 32). */
function spendOf(part: DeliveryTotals): bigint {
  const micros = roundToMicros(part.spend);
  if (!micros.ok) throw new Error('A spend that was read is not a number.');
  return micros.value;
}

/** From the earliest start to the latest end that a seller named; today where none did. */
function periodOf(
  periods: readonly { readonly start: string; readonly end: string }[],
  now: number,
): { start: string; end: string } {
  const starts = periods.map((period) => Date.parse(period.start)).filter(Number.isFinite);
  const ends = periods.map((period) => Date.parse(period.end)).filter(Number.isFinite);
  const start = starts.length > 0 ? Math.min(...starts) : now;
  const end = ends.length > 0 ? Math.max(...ends) : now;
  return { start: new Date(start).toISOString(), end: new Date(end).toISOString() };
}
