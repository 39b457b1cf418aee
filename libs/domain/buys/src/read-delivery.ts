import { microsToDecimal, roundToMicros } from '@switchyard/money';
import {
  isFiguresAway,
  prefixId,
  taskError,
  type DeliveryReport,
  type DeliverySlice,
  type DeliveryTotals,
  type Finding,
  type GetMediaBuyDeliveryRequest,
  type MediaBuyDelivery,
  type PackageDelivery,
  type SellerRow,
  type TaskError,
} from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { Instant } from '@switchyard/values';
import type { ReadPorts } from './ask-buys.js';
import { askDelivery } from './ask-delivery.js';
import { attributionWindows } from './attribution-windows.js';
import { inBuysCurrency } from './in-buys-currency.js';
import { lastFiguresOf, type LastPart } from './last-figures.js';
import type { MediaBuyRecord } from './operation.js';
import { ofAskedPeriod, reportedPeriod } from './of-asked-period.js';
import { pullGranularity } from './pull-granularity.js';
import { buysMeant, missingIds, type BuysAsk } from './read-media-buys.js';
import type { SellerRefusal } from './refresh-buys.js';
import { isMadeOrMayBe } from './roll-up-operation.js';
import { staleResponse } from './stale-response.js';
import { takePausesDelivered } from './take-pauses-delivered.js';

/** How many buys one answer is about at most: this task has no pages, so what is beyond is said (tasks 3.8). */
export const deliveriesAtMost = 1_000;

export interface DeliveryRead {
  readonly report: DeliveryReport;
  readonly rows: readonly SellerRow[];
  readonly refusals: readonly SellerRefusal[];
  readonly errors: readonly TaskError[];
  /** What could not be carried over to a seller. */
  readonly findings: readonly (Finding & { readonly seller: string })[];
  /** Each seller's part of each buy. */
  readonly bySeller: readonly SellerDelivery[];
  /** Of when the oldest observation is that the answer shows, figures and states alike; absent where there is none. */
  readonly asOf?: Instant;
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

/**
 * Delivery of a principal's buys, asked of the sellers now. Figures are added up only inside one buy, which has one
 * currency. For a seller that does not answer stands what it last reported, marked STALE_RESPONSE, where the whole life
 * of the buy was asked for; one that never reported is missing from the sum, and is never a zero.
 */
export async function readDelivery(
  ports: ReadPorts,
  ask: BuysAsk,
  request: GetMediaBuyDeliveryRequest,
): Promise<DeliveryRead> {
  const { mediaBuyIds } = request;
  const all = await ports.store.mediaBuys(ask.scope, {
    ...buysMeant(ask, request),
    limit: deliveriesAtMost + 1,
  });
  const found = all.slice(0, deliveriesAtMost);
  const records = found.filter(({ buy }) => mayPass(request, buy.status));
  const askedAt = ports.clock.now();
  const listed = records.length === 0 ? [] : await ports.connections.list(ask.scope);
  const granularity = await pullGranularity(ports, ask, records, listed, request);
  if (granularity.isRefused) return refused(granularity.errors);
  const market = await askDelivery(ports, ask, requestsFor(listed, records, request, granularity.sliced));
  await takePausesDelivered(ports, ask, records, market.legs, askedAt);
  const read = market.legs.flatMap(({ answer, connection }) =>
    answer === undefined ? [] : [{ connection, answer: namedIn(answer, connection.id, records) }],
  );
  const counted = read.map(({ connection, answer }) => {
    const { report, findings } = ofAskedPeriod(connection, answer, request);
    const { deliveries, findings: ofCurrency } = inBuysCurrency(connection, report, records);
    return {
      deliveries,
      findings: [...findings, ...ofCurrency],
      connectionId: connection.id,
      period: report.period,
    };
  });
  const fresh = counted.flatMap(({ deliveries, connectionId, period }) =>
    deliveries.map((delivery): Said => ({ delivery, connectionId, period, asOf: askedAt })),
  );
  const windows = attributionWindows(market.legs);
  // The ledger holds sums over the life of a buy: they answer no question about some of its days.
  const isWhole = request.startDate === undefined && request.endDate === undefined;
  const last =
    isWhole && ports.figures !== undefined
      ? await lastFiguresOf(ports.figures, ask.scope, records, market.rows)
      : [];
  const said: readonly Said[] = [...fresh, ...last];
  const deliveries = records
    .map((record) => ({ record, delivery: deliveryOf(record, said) }))
    .filter(({ record, delivery }) => passes(request, record, delivery));
  const shown = deliveries.map(({ record }) => record);
  const currencies = new Set(shown.map((record) => record.buy.currency));
  const periods = said.flatMap((item) => item.period ?? []);
  const [firstRecord] = shown;
  const bySeller = shown.flatMap((record) => sellersOf(record, said));
  // The state that a buy is shown in was told by its sellers, each at its own time.
  const states = shown.flatMap(({ sellerBuys }) => sellerBuys.flatMap(({ statusAsOf }) => statusAsOf ?? []));
  const seen = [...bySeller.flatMap(({ asOf }) => asOf ?? []), ...states];
  return {
    rows: market.rows,
    refusals: market.legs,
    errors: [
      ...missingIds(mediaBuyIds, found),
      ...(all.length > found.length ? [tooMany] : []),
      ...granularity.errors,
      ...staleErrors(last, ports.clock.now()),
    ],
    findings: [
      ...market.legs.flatMap(({ seller, findings }) => findings.map((finding) => ({ ...finding, seller }))),
      ...windows.findings,
      ...counted.flatMap((one) => one.findings),
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

/** Each seller's question about its own buys. Slices are asked for where they were declared, and nowhere else. */
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
    const ids = made
      .filter((item) => item.connectionId === connection.id)
      .flatMap((item) => item.sellerMediaBuyId ?? []);
    const asked = sliced.has(connection.id) ? rest : whole;
    if (ids.length > 0) requests.set(connection, { ...asked, mediaBuyIds: ids });
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

interface Said {
  readonly delivery: MediaBuyDelivery;
  readonly connectionId: string;
  readonly period?: DeliveryReport['period'] | undefined;
  readonly asOf: Instant;
}

function namedIn(
  report: DeliveryReport,
  connectionId: string,
  records: readonly MediaBuyRecord[],
): DeliveryReport {
  return { ...report, deliveries: report.deliveries.map((one) => named(one, connectionId, records)) };
}

/** The service description's answer names no buy: where one alone was asked about, it is that one. */
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

/** What a report says of itself: it is known only once sellers have been asked. */
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

/** One entry per seller whose last report stands in for its answer, as old as the oldest of its figures. */
function staleErrors(last: readonly LastPart[], now: Instant): readonly TaskError[] {
  const oldest = new Map<string, LastPart>();
  for (const part of last) {
    const known = oldest.get(part.row.seller);
    if (known === undefined || part.asOf < known.asOf) oldest.set(part.row.seller, part);
  }
  return [...oldest.values()].flatMap(({ row, asOf }) => staleResponse(row, asOf, now) ?? []);
}

function deliveryOf(record: MediaBuyRecord, said: readonly Said[]): MediaBuyDelivery {
  const parts = said.flatMap(({ delivery, connectionId }) => {
    const sellerBuy = record.sellerBuys.find(
      (item) => item.connectionId === connectionId && item.sellerMediaBuyId === delivery.mediaBuyId,
    );
    return sellerBuy === undefined ? [] : [{ delivery, seller: sellerBuy.seller }];
  });
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
 * provisional what one of them does; of what a seller says nothing, or has not made yet, nobody knows (tasks 15, R11).
 */
function finalityOf(
  { sellerBuys }: MediaBuyRecord,
  known: readonly { readonly delivery: MediaBuyDelivery }[],
): Pick<MediaBuyDelivery, 'isFinal'> {
  const flags = known.map(({ delivery }) => delivery.isFinal);
  if (flags.includes(false)) return { isFinal: false };
  const isWhole = flags.length > 0 && flags.length === sellerBuys.filter(isMadeOrMayBe).length;
  const packages = known.flatMap(({ delivery }) => delivery.byPackage);
  const isOneWindow = new Set(packages.map(({ measurementWindow }) => measurementWindow)).size <= 1;
  const isAgreed = [...flags, ...packages.map(({ isFinal }) => isFinal)].every((flag) => flag === true);
  return isWhole && isOneWindow && isAgreed ? { isFinal: true } : {};
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

function sellersOf(record: MediaBuyRecord, said: readonly Said[]): readonly SellerDelivery[] {
  return record.sellerBuys.map(({ seller, connectionId, sellerMediaBuyId }) => {
    const part = said.find(
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

/** Slices of the same ends, added up: where one of the sellers lacks a slice, its sum is not known and left out. */
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
  // What one seller alone delivered is its own word, reach and frequency too; over several those have no sum.
  const [only] = parts;
  const impressions = counted((part) => part.impressions);
  const clicks = counted((part) => part.clicks);
  return {
    spend: microsToDecimal(spend),
    original: parts.length === 1 && only !== undefined ? only.original : {},
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
