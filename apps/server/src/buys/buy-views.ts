import {
  cancellationCost,
  flightOf,
  budgetAtSeller,
  liveBudget,
  shownStatus,
  termsShown,
  unsignedLeg,
  type BuyChange,
  type Leg,
  type MediaBuyRecord,
  type Operation,
} from '@switchyard/buys';
import type { PackageDelivered } from '@switchyard/ledger';
import { microsToDecimal } from '@switchyard/money';
import { isBuyOver, prefixId, type TaskStatus } from '@switchyard/protocol';
import type { Names } from '@switchyard/store';
import type { Stop } from '@switchyard/tenancy';
import { defined, isoOf, type Instant, type JsonObject } from '@switchyard/values';
import type { BuyChangeView, BuyDetail, BuyLeg, BuySummary } from './buys.routes.js';
import { accountAt, nameIn, pairOf, whoseOf } from '../business/whose.js';

/** What hurts or holds a buy at the moment. */
interface Hindrances {
  readonly impairments?: readonly JsonObject[];
  /** The active stops of its organization. */
  readonly stops?: readonly Stop[];
}

/** Whether a part of the buy was not sent yet: an emergency stop may hold it. */
export const isUnsent = ({ legs }: Pick<MediaBuyRecord, 'legs'>): boolean =>
  legs.some(({ status }) => status === 'pending');

/** The summary of a media buy. */
export function summaryOf(
  record: MediaBuyRecord,
  names: Names,
  { impairments = [], stops = [] }: Hindrances = {},
): BuySummary {
  const { buy } = record;
  const flight = flightOf(record);
  const total = record.packages.reduce((sum, item) => sum + item.budgetMicros, 0n);
  return {
    media_buy_id: buy.id,
    operation_id: buy.operationId,
    status: shownStatus(record),
    currency: buy.currency,
    total_budget: microsToDecimal(total),
    current_total_budget: microsToDecimal(liveBudget(record)),
    start_time: flight.startTime,
    end_time: flight.endTime,
    created_at: isoOf(buy.createdAt),
    ...whoseOf(buy, names),
    account: pairOf(buy.brand['domain'], buy.operator),
    created_by: nameIn(names.principals, buy.principalId),
    created_by_id: buy.principalId,
    sellers: record.sellerBuys.map(({ seller, status, connectionId, sellerMediaBuyId, legId }) => ({
      seller,
      status,
      has_taken_it: sellerMediaBuyId !== undefined,
      account: accountAt(names, connectionId, record),
      ...heldBy(
        record.legs.find(({ id }) => id === legId),
        buy.principalId,
        stops,
      ),
    })),
    ...(buy.buyerRef === undefined ? {} : { buyer_ref: buy.buyerRef }),
    impairments: isBuyOver(buy.status) ? [] : impairments.map(impairmentView),
  };
}

/** The stop that holds a leg which was not sent. */
function heldBy(
  leg: Pick<Leg, 'status' | 'connectionId'> | undefined,
  principalId: string,
  stops: readonly Stop[],
): Pick<BuySummary['sellers'][number], 'held_by'> {
  if (leg?.status !== 'pending') return {};
  const subjects = { all: '', seller: leg.connectionId, principal: principalId, key: undefined };
  const stop = stops.find(({ kind, subject }) => subjects[kind] === subject);
  if (stop === undefined) return {};
  return { held_by: { target: stop.target, ...(stop.reason !== undefined && { reason: stop.reason }) } };
}

function impairmentView(row: JsonObject): BuySummary['impairments'][number] {
  const text = (name: string): string | undefined =>
    typeof row[name] === 'string' ? row[name].slice(0, 2_000) : undefined;
  const { reason_code: code, package_ids: ids } = row;
  const [remediation, observedAt] = [text('remediation'), text('observed_at')];
  return {
    reason: text('reason') ?? (typeof code === 'string' ? code.slice(0, 200) : 'The seller gave no reason.'),
    package_ids: Array.isArray(ids) ? ids.filter((id): id is string => typeof id === 'string') : [],
    ...defined({ remediation, observed_at: observedAt }),
  };
}

/** What is known of a buy apart from its rows: its legs, its changes, its figures, and names. */
interface BuyStory extends Hindrances {
  readonly legs: readonly Leg[];
  readonly changes: readonly BuyChange[];
  readonly delivered: readonly PackageDelivered[];
  readonly names: Names;
}

/** A media buy in detail: the result of each leg, and the seller of each package. */
export function detailOf(
  record: MediaBuyRecord,
  operation: Operation,
  about: BuyStory,
  now: Instant,
): BuyDetail {
  return {
    ...summaryOf(record, about.names, about),
    task_id: operation.taskId,
    task_status: operation.status,
    revision: record.buy.revision,
    legs: about.legs
      .filter((leg) => leg.status !== 'held')
      .map((leg) => legView(record, leg, heldBy(leg, record.buy.principalId, about.stops ?? []))),
    changes: about.changes.map((change) => changeView(change, about.names)),
    packages: record.packages.map((item) => ({
      package_id: item.sellerPackageId === undefined ? '' : prefixId(item.seller, item.sellerPackageId),
      seller: item.seller,
      product_id: prefixId(item.seller, item.productId),
      pricing_option_id: item.pricingOptionId,
      budget: microsToDecimal(item.budgetMicros),
      current_budget: microsToDecimal(budgetAtSeller(item)),
      quoted_terms: item.terms?.quoted ?? null,
      terms: termsShown(item).holding,
      cancellation_cost: costOf(record, item, now),
      ...(item.canceledAt === undefined ? {} : { canceled: true as const }),
      ...(item.buyerRef === undefined ? {} : { buyer_ref: item.buyerRef }),
      ...(item.bidMicros === undefined ? {} : { bid_price: microsToDecimal(item.bidMicros) }),
      ...(item.sellerPackageId === undefined ? {} : { seller_package_id: item.sellerPackageId }),
      ...figuresOf(item, about.delivered),
    })),
  };
}

function costOf(
  record: MediaBuyRecord,
  item: MediaBuyRecord['packages'][number],
  now: Instant,
): string | null {
  const sellerBuy = record.sellerBuys.find(({ seller }) => seller === item.seller) ?? {};
  return cancellationCost(item, { buy: record.buy, sellerBuy, now }) ?? null;
}

function changeView(
  { revision, at, seller, actor, action, packageId, detail, operationId, principalId }: BuyChange,
  names: Names,
): BuyChangeView {
  return {
    revision,
    at: isoOf(at),
    seller,
    actor,
    by: actor === 'seller' ? null : nameIn(names.principals, principalId),
    action,
    detail,
    operation_id: operationId,
    ...(packageId === undefined || packageId === '' ? {} : { package_id: prefixId(seller, packageId) }),
  };
}

/** The figures of a package in the ledger; empty until a report names the package, because unknown is not zero. */
function figuresOf(
  item: MediaBuyRecord['packages'][number],
  delivered: readonly PackageDelivered[],
): Pick<BuyDetail['packages'][number], 'spend' | 'impressions'> {
  const row = delivered.find(
    (each) => each.seller === item.seller && each.packageRef === item.sellerPackageId,
  );
  if (row === undefined) return {};
  const { spendMicros, impressions } = row;
  return {
    spend: microsToDecimal(spendMicros),
    ...(impressions === undefined ? {} : { impressions: Number(impressions) }),
  };
}

/** Readers get the nearest task status for a leg status that exists only here. */
const nearest: Readonly<Record<Exclude<Leg['status'], TaskStatus>, TaskStatus>> = {
  held: 'submitted',
  pending: 'submitted',
  sent: 'submitted',
  parked: 'unknown',
};

function legView(record: MediaBuyRecord, leg: Leg, { held_by: stop }: ReturnType<typeof heldBy>): BuyLeg {
  const sellerBuy = record.sellerBuys.find((item) => item.legId === leg.id || item.id === leg.sellerBuyId);
  const [error] = leg.errors;
  const finding = leg.findings.find(({ code }) => code !== unsignedLeg);
  const reason =
    stop === undefined
      ? (error?.message ?? finding?.message)
      : `An emergency stop (${stop.target}) holds it${stop.reason === undefined ? '.' : `: ${stop.reason}`}`;
  const status =
    leg.status === 'held' || leg.status === 'pending' || leg.status === 'sent' || leg.status === 'parked'
      ? nearest[leg.status]
      : leg.status;
  return {
    leg_id: leg.id,
    seller: leg.seller,
    task: leg.task,
    operation_id: leg.operationId,
    requested_at: isoOf(leg.createdAt),
    task_status: status,
    ...(leg.status === 'parked' ? { waits_for_person: true as const } : {}),
    signed: !leg.findings.some(({ code }) => code === unsignedLeg),
    ...(leg.sellerTaskId === undefined ? {} : { task_id: leg.sellerTaskId }),
    ...(sellerBuy?.sellerMediaBuyId === undefined
      ? {}
      : { status: sellerBuy.status, seller_media_buy_id: sellerBuy.sellerMediaBuyId }),
    ...(leg.observedBy === undefined ? {} : { observed_by: leg.observedBy }),
    ...(leg.elapsedMs === undefined ? {} : { elapsed_ms: leg.elapsedMs }),
    ...(reason === undefined ? {} : { reason }),
    ...(error === undefined ? {} : { code: error.code }),
  };
}
