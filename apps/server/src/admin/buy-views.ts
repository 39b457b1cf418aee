import {
  cancellationCost,
  flightOf,
  heldBudget,
  liveBudget,
  termsShown,
  unsignedLeg,
  type BuyChange,
  type Leg,
  type MediaBuyRecord,
  type Operation,
} from '@switchyard/buys';
import type { PackageDelivered } from '@switchyard/ledger';
import { microsToDecimal } from '@switchyard/money';
import { prefixId, type TaskStatus } from '@switchyard/protocol';
import { isoOf, type Instant } from '@switchyard/values';
import type { BuyChangeView, BuyDetail, BuyLeg, BuySummary } from './buys.js';

/** A media buy in one line. */
export function summaryOf(record: MediaBuyRecord): BuySummary {
  const { buy } = record;
  const flight = flightOf(record);
  const total = record.packages.reduce((sum, item) => sum + item.budgetMicros, 0n);
  return {
    media_buy_id: buy.id,
    operation_id: buy.operationId,
    status: buy.status,
    currency: buy.currency,
    total_budget: microsToDecimal(total),
    current_total_budget: microsToDecimal(liveBudget(record)),
    start_time: flight.startTime,
    end_time: flight.endTime,
    created_at: isoOf(buy.createdAt),
    sellers: record.sellerBuys.map((item) => ({ seller: item.seller, status: item.status })),
    ...(buy.buyerRef === undefined ? {} : { buyer_ref: buy.buyerRef }),
  };
}

/** What happened to a buy, and is not in its rows: every leg that is about it, and every change. */
export interface BuyStory {
  readonly legs: readonly Leg[];
  readonly changes: readonly BuyChange[];
}

/** A media buy whole: what became of each leg, and which package is whose. */
export function detailOf(
  record: MediaBuyRecord,
  operation: Operation,
  about: BuyStory,
  delivered: readonly PackageDelivered[],
  now: Instant,
): BuyDetail {
  return {
    ...summaryOf(record),
    task_id: operation.taskId,
    task_status: operation.status,
    revision: record.buy.revision,
    legs: about.legs.filter((leg) => leg.status !== 'held').map((leg) => legView(record, leg)),
    changes: about.changes.map(changeView),
    packages: record.packages.map((item) => ({
      package_id: item.sellerPackageId === undefined ? '' : prefixId(item.seller, item.sellerPackageId),
      seller: item.seller,
      product_id: prefixId(item.seller, item.productId),
      pricing_option_id: item.pricingOptionId,
      budget: microsToDecimal(item.budgetMicros),
      current_budget: microsToDecimal(heldBudget(item)),
      quoted_terms: item.terms?.quoted ?? null,
      terms: termsShown(item).holding,
      cancellation_cost: costOf(record, item, now),
      ...(item.canceledAt === undefined ? {} : { canceled: true as const }),
      ...(item.buyerRef === undefined ? {} : { buyer_ref: item.buyerRef }),
      ...(item.bidMicros === undefined ? {} : { bid_price: microsToDecimal(item.bidMicros) }),
      ...(item.sellerPackageId === undefined ? {} : { seller_package_id: item.sellerPackageId }),
      ...figuresOf(item, delivered),
    })),
  };
}

function costOf(
  record: MediaBuyRecord,
  item: MediaBuyRecord['packages'][number],
  now: Instant,
): string | null {
  const sellerBuy = record.sellerBuys.find(({ seller }) => seller === item.seller) ?? {};
  return cancellationCost(item, record.buy, sellerBuy, now) ?? null;
}

function changeView({
  revision,
  at,
  seller,
  actor,
  action,
  packageId,
  detail,
  operationId,
}: BuyChange): BuyChangeView {
  return {
    revision,
    at: isoOf(at),
    seller,
    actor,
    action,
    detail,
    operation_id: operationId,
    ...(packageId === undefined || packageId === '' ? {} : { package_id: prefixId(seller, packageId) }),
  };
}

/** What the ledger counts for a package; nothing where no report named it yet, because unknown is not zero. */
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

/** A leg that only we know the state of has, towards a reader, the nearest status of a task. */
const nearest: Readonly<Record<Exclude<Leg['status'], TaskStatus>, TaskStatus>> = {
  held: 'submitted',
  pending: 'submitted',
  sent: 'submitted',
  parked: 'unknown',
};

function legView(record: MediaBuyRecord, leg: Leg): BuyLeg {
  const sellerBuy = record.sellerBuys.find((item) => item.legId === leg.id || item.id === leg.sellerBuyId);
  const [error] = leg.errors;
  const finding = leg.findings.find(({ code }) => code !== unsignedLeg);
  const reason = error?.message ?? finding?.message;
  const status =
    leg.status === 'held' || leg.status === 'pending' || leg.status === 'sent' || leg.status === 'parked'
      ? nearest[leg.status]
      : leg.status;
  return {
    leg_id: leg.id,
    seller: leg.seller,
    task: leg.task,
    operation_id: leg.operationId,
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
