import {
  taskError,
  type DeliveryReport,
  type Finding,
  type GetMediaBuyDeliveryRequest,
  type MediaBuyDelivery,
  type SellerRow,
  type TaskError,
} from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { Instant } from '@switchyard/values';
import {
  deliveryOf,
  partsOf,
  sellersOf,
  type ReportedDelivery,
  type SellerDelivery,
  pricingModels,
} from './add-up-delivery.js';
import type { ReadPorts } from '../model/read-request.js';
import { byAccount } from '../plan/client-accounts.js';
import { queryDelivery } from './query-delivery.js';
import { attributionWindows } from './attribution-windows.js';
import { inBuysCurrency } from '../terms/buy-currency.js';
import { lastFiguresOf, type LastPart } from './last-figures.js';
import type { MediaBuyRecord } from '../model/operation.js';
import { limitToPeriod, reportedPeriod } from './report-period.js';
import { pullGranularity } from './pull-granularity.js';
import { buysMeant, missingIds, type BuysRequest } from './read-media-buys.js';
import type { SellerRefusal } from '../apply/buys-refreshed.js';
import { staleResponse } from '../call/stale-response.js';
import { confirmPauses } from './confirm-pauses.js';

/**
 * Maximum number of buys in one answer: this task has no pages, so an error reports the rest
 * (docs/protocol/delivery.md#questions).
 */
const deliveriesAtMost = 1_000;

export interface DeliveryRead {
  readonly report: DeliveryReport;
  readonly rows: readonly SellerRow[];
  readonly refusals: readonly SellerRefusal[];
  readonly errors: readonly TaskError[];
  /** Findings on what could not be sent to a seller, or not be counted. */
  readonly findings: readonly (Finding & { readonly seller: string })[];
  /** Each seller's part of each buy. */
  readonly bySeller: readonly SellerDelivery[];
  /** Time of the oldest observation in the answer, figures and states alike; absent where there is none. */
  readonly asOf?: Instant;
}

/**
 * Reads the delivery of a principal's buys from the sellers now. Figures are added up only inside one buy,
 * which has one currency. For a seller that does not answer, its last report is used, marked STALE_RESPONSE,
 * if the request has no dates. A seller that never reported is missing in the sum, and never counts as zero.
 */
export async function readDelivery(
  ports: ReadPorts,
  query: BuysRequest,
  request: GetMediaBuyDeliveryRequest,
): Promise<DeliveryRead> {
  const { mediaBuyIds } = request;
  const all = await ports.store.mediaBuys(query.scope, {
    ...buysMeant(query, request),
    limit: deliveriesAtMost + 1,
  });
  const found = all.slice(0, deliveriesAtMost);
  const records = found.filter(({ buy }) => mayPass(request, buy.status));
  const requestedAt = ports.clock.now();
  const listed = records.length === 0 ? [] : await ports.connections.list(query.scope);
  const granularity = await pullGranularity(ports, query, { records, connections: listed }, request);
  if (granularity.isRefused) return refused(granularity.errors);
  const market = await queryDelivery(ports, query, requestsFor(listed, records, request, granularity.sliced));
  await confirmPauses(ports, query, { records, legs: market.legs, at: requestedAt });
  const read = market.legs.flatMap(({ answer, connection }) =>
    answer === undefined ? [] : [{ connection, answer: namedIn(answer, connection.id, records) }],
  );
  const counted = read.map(({ connection, answer }) => {
    const { report, findings } = limitToPeriod(connection, answer, request);
    const { deliveries, findings: ofCurrency } = inBuysCurrency(connection, report, records);
    return {
      deliveries,
      findings: [...findings, ...ofCurrency],
      connectionId: connection.id,
      period: report.period,
    };
  });
  const fresh = counted.flatMap(({ deliveries, connectionId, period }) =>
    deliveries.map((delivery): ReportedDelivery => ({ delivery, connectionId, period, asOf: requestedAt })),
  );
  const windows = attributionWindows(market.legs);
  // The ledger has lifetime sums of buys, which cannot answer for single days.
  const isWhole = request.startDate === undefined && request.endDate === undefined;
  const last =
    isWhole && ports.figures !== undefined
      ? await lastFiguresOf(ports.figures, query.scope, records, market.rows)
      : [];
  const reported: readonly ReportedDelivery[] = [...fresh, ...last];
  const deliveries = records
    .map((record) => ({ record, delivery: deliveryOf(record, reported) }))
    .filter(({ record, delivery }) => passes(request, record, delivery));
  const shown = deliveries.map(({ record }) => record);
  const currencies = new Set(shown.map((record) => record.buy.currency));
  const periods = reported.flatMap((item) => item.period ?? []);
  const [firstRecord] = shown;
  const bySeller = shown.flatMap((record) => sellersOf(record, reported));
  // The shown states were reported by sellers, each at its own time.
  const states = shown.flatMap(({ sellerBuys }) => sellerBuys.flatMap(({ statusAsOf }) => statusAsOf ?? []));
  const seen = [...bySeller.flatMap(({ asOf }) => asOf ?? []), ...states];
  return {
    rows: market.rows,
    refusals: market.legs,
    errors: [
      ...missingIds(mediaBuyIds, found, request.isLastIdAlone),
      ...(all.length > found.length ? [tooMany] : []),
      ...granularity.errors,
      ...staleErrors(last, ports.clock.now()),
    ],
    findings: [
      ...market.legs.flatMap(({ seller, findings }) => findings.map((finding) => ({ ...finding, seller }))),
      ...windows.findings,
      ...counted.flatMap((result) => result.findings),
      ...shown.flatMap((record) => pricingModels(partsOf(record, reported)).findings),
    ],
    bySeller,
    ...(seen.length === 0 ? {} : { asOf: Math.min(...seen) }),
    report: {
      ...(currencies.size > 1 ? { isMixed: true as const } : {}),
      ...(windows.common === undefined ? {} : { attributionWindow: windows.common }),
      partialData: market.rows.some((row) => row.status !== 'answered'),
      currency: firstRecord?.buy.currency ?? 'USD',
      period: reportedPeriod(periods, request, ports.clock.now()),
      deliveries: deliveries.map(({ delivery }) => delivery),
    },
  };
}

/** The request for each seller, with its own buys. Slices are only requested where they are declared. */
function requestsFor(
  listed: readonly Connection[],
  records: readonly MediaBuyRecord[],
  request: GetMediaBuyDeliveryRequest,
  sliced: ReadonlySet<string>,
): ReadonlyMap<Connection, GetMediaBuyDeliveryRequest> {
  const made = records.flatMap((record) => record.sellerBuys);
  const { account: _ours, buyerRefs: _too, statusFilter: _three, ...rest } = request;
  const { timeGranularity: _slices, includeWindows: _windows, ...whole } = rest;
  const requests = new Map<Connection, GetMediaBuyDeliveryRequest>();
  for (const connection of listed) {
    const requested = sliced.has(connection.id) ? rest : whole;
    const there = made.filter((item) => item.connectionId === connection.id);
    for (const [seller, items] of byAccount(connection, there)) {
      const ids = items.flatMap((item) => item.sellerMediaBuyId ?? []);
      if (ids.length > 0) requests.set(seller, { ...requested, mediaBuyIds: ids });
    }
  }
  return requests;
}

const tooMany = taskError(
  'INVALID_REQUEST',
  `You have more than ${deliveriesAtMost} buys: the answer is about the newest of them.`,
  { field: 'media_buy_ids', suggestion: 'Name the buys, or an account, that you want to know about.' },
);

function refused(errors: readonly TaskError[]): DeliveryRead {
  return {
    rows: [],
    refusals: [],
    errors,
    findings: [],
    bySeller: [],
    report: { partialData: false, deliveries: [] },
  };
}

function namedIn(
  report: DeliveryReport,
  connectionId: string,
  records: readonly MediaBuyRecord[],
): DeliveryReport {
  return {
    ...report,
    deliveries: report.deliveries.map((delivery) => named(delivery, connectionId, records)),
  };
}

/** The `service` form's answer names no buy: if one was requested, it is that one. */
function named(
  delivery: MediaBuyDelivery,
  connectionId: string,
  records: readonly MediaBuyRecord[],
): MediaBuyDelivery {
  if (delivery.mediaBuyId !== '') return delivery;
  const ids = records.flatMap(({ sellerBuys }) =>
    sellerBuys.flatMap((item) => (item.connectionId === connectionId ? (item.sellerMediaBuyId ?? []) : [])),
  );
  const [only] = ids;
  return only === undefined || ids.length > 1 ? delivery : { ...delivery, mediaBuyId: only };
}

/** Statuses of a report, known only after sellers were queried. */
const reportStates = ['reporting_delayed', 'failed'];

function mayPass({ statusFilter }: GetMediaBuyDeliveryRequest, status: string): boolean {
  if (statusFilter === undefined || statusFilter.includes(status)) return true;
  return statusFilter.some((wanted) => reportStates.includes(wanted));
}

function passes(
  { statusFilter }: GetMediaBuyDeliveryRequest,
  { buy }: MediaBuyRecord,
  { status }: MediaBuyDelivery,
): boolean {
  return statusFilter === undefined || statusFilter.includes(buy.status) || statusFilter.includes(status);
}

/** One error per seller whose last report replaces its answer, with the age of the oldest figure. */
function staleErrors(last: readonly LastPart[], now: Instant): readonly TaskError[] {
  const oldest = new Map<string, LastPart>();
  for (const part of last) {
    const known = oldest.get(part.row.seller);
    if (known === undefined || part.asOf < known.asOf) oldest.set(part.row.seller, part);
  }
  return [...oldest.values()].flatMap(({ row, asOf }) => staleResponse(row, asOf, now) ?? []);
}
