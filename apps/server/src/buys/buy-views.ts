import {
  cancellationCost,
  flightOf,
  budgetAtSeller,
  isMadeOrMayBe,
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
import { z } from 'zod';
import { accountAt, nameIn, pairOf, whoseMembers, whoseOf } from '../business/index.js';
import { instant, jsonObject } from '../platform/routes/fields.js';
import type { Immutable } from '../platform/routes/route.js';
import type { AdminFailure } from '../platform/failure.js';

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
    not_placed: microsToDecimal(notPlaced(record)),
    start_time: flight.startTime,
    end_time: flight.endTime,
    created_at: isoOf(buy.createdAt),
    ...whoseOf(buy, names),
    account: pairOf(buy.brand['domain'], buy.operator),
    created_by: nameIn(names.principals, buy.principalId),
    created_by_id: buy.principalId,
    sellers: record.sellerBuys.map(
      ({ seller, status, connectionId, accountId, sellerMediaBuyId, legId }) => ({
        seller,
        status,
        has_taken_it: sellerMediaBuyId !== undefined,
        account: accountId ?? accountAt(names, connectionId, record),
        ...heldBy(
          record.legs.find(({ id }) => id === legId),
          buy.principalId,
          stops,
        ),
      }),
    ),
    ...(buy.buyerRef === undefined ? {} : { buyer_ref: buy.buyerRef }),
    impairments: isBuyOver(buy.status) ? [] : impairments.map(impairmentView),
  };
}

/** What was ordered at sellers that refused it. */
function notPlaced({ sellerBuys, packages }: MediaBuyRecord): bigint {
  const refused = new Set(sellerBuys.filter((part) => !isMadeOrMayBe(part)).map(({ legId }) => legId));
  return packages.reduce((sum, one) => sum + (refused.has(one.legId) ? one.budgetMicros : 0n), 0n);
}

/** The stop that holds a leg which was not sent. */
function heldBy(
  leg: Pick<Leg, 'status' | 'connectionId'> | undefined,
  principalId: string,
  stops: readonly Stop[],
): Pick<BuySummary['sellers'][number], 'held_by'> {
  if (leg?.status !== 'pending') return {};
  const subjects = {
    all: '',
    seller: leg.connectionId,
    principal: principalId,
    key: undefined,
    organization: undefined,
  };
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

/** The summary of a media buy. Amounts are decimal text. */
export const summary = z.strictObject({
  media_buy_id: z.string(),
  operation_id: z.string(),
  buyer_ref: z.string().exactOptional(),
  status: z
    .string()
    .describe(
      'What the sellers say together; `pending_approval` while another person must approve it first.',
    ),
  currency: z.string(),
  total_budget: z.string().describe('What the buyer has agreed to, as the ledger holds spend against it.'),
  current_total_budget: z
    .string()
    .describe(
      'What stands at the sellers now: their own amounts where they changed them, without what is canceled.',
    ),
  not_placed: z.string().describe('What was ordered at sellers that refused it.'),
  start_time: z.string(),
  end_time: z.string(),
  created_at: instant,
  ...whoseMembers,
  account: z.string().describe('The brand, and who operates for it.'),
  created_by: z.string().nullable().describe('Name of the principal that made it.'),
  created_by_id: z.string(),
  sellers: z.array(
    z.strictObject({
      seller: z.string(),
      status: z.string(),
      account: z.string().describe('The account at this seller: its id, else the brand and the operator.'),
      has_taken_it: z
        .boolean()
        .describe(
          'Whether the seller has given it an id. Before that nothing runs there, whatever the `status`.',
        ),
      held_by: z
        .strictObject({ target: z.string(), reason: z.string().exactOptional() })
        .exactOptional()
        .describe('The emergency stop because of which it was not sent yet. It is sent when the stop ends.'),
    }),
  ),
  impairments: z
    .array(
      z.strictObject({
        reason: z.string(),
        remediation: z.string().exactOptional(),
        observed_at: z.string().exactOptional(),
        package_ids: z.array(z.string()),
      }),
    )
    .describe('Its current impairments, as its sellers report them; none after its end.'),
});

export type BuySummary = Immutable<z.output<typeof summary>>;

export const leg = z.strictObject({
  leg_id: z.string(),
  seller: z.string(),
  task: z.string().describe('What the seller was requested to do: to create its part, or to change it.'),
  operation_id: z.string(),
  requested_at: instant.describe('When the request came in.'),
  waits_for_person: z
    .literal(true)
    .exactOptional()
    .describe('Only a person can tell what became of it: POST /v1/legs/{id}/settle.'),
  task_status: z.string().describe('Of the task at that seller.'),
  task_id: z.string().exactOptional(),
  signed: z.boolean().exactOptional().describe('Whether our request to the seller carried our signature.'),
  status: z.string().exactOptional().describe('Of what the seller created; absent until it did.'),
  seller_media_buy_id: z.string().exactOptional(),
  observed_by: z.string().exactOptional().describe('Which channel settled it: answer, webhook or poll.'),
  elapsed_ms: z.number().exactOptional(),
  reason: z.string().exactOptional(),
  code: z.string().exactOptional(),
});

export type BuyLeg = Immutable<z.output<typeof leg>>;

export const buyPackage = z.strictObject({
  package_id: z.string(),
  seller: z.string(),
  buyer_ref: z.string().exactOptional(),
  product_id: z.string(),
  pricing_option_id: z.string(),
  budget: z.string().describe('What the buyer has agreed to.'),
  current_budget: z.string().describe('What its seller holds now.'),
  canceled: z.literal(true).exactOptional(),
  quoted_terms: jsonObject
    .describe('By the names of 3.x.')
    .nullable()
    .describe('What its seller had quoted when it was bought; null where no quote of it is known.'),
  cancellation_cost: z
    .string()
    .nullable()
    .describe('What canceling the package now costs, in words; null where its seller quoted no terms.'),
  terms: jsonObject.describe('What holds of it now, by the names of 3.x.'),
  bid_price: z.string().exactOptional(),
  seller_package_id: z.string().exactOptional(),
  spend: z.string().exactOptional(),
  impressions: z.number().exactOptional(),
});

/** One change of one seller's part or of a package in it, refused ones included. */
export const change = z.strictObject({
  revision: z.int(),
  at: instant,
  seller: z.string(),
  actor: z.string(),
  by: z
    .string()
    .nullable()
    .describe('Name of the principal whose request it was; null for what a seller did.'),
  action: z.string(),
  package_id: z.string().exactOptional(),
  detail: jsonObject.describe('What changed, by the members of the request.'),
  operation_id: z.string(),
});

export type BuyChangeView = Immutable<z.output<typeof change>>;

export const detail = z.strictObject({
  ...summary.shape,
  revision: z.int(),
  changes: z.array(change).describe('Newest first, two hundred at most.'),
  task_id: z.string(),
  task_status: z.string(),
  legs: z.array(leg),
  packages: z.array(buyPackage),
});

export type BuyDetail = Immutable<z.output<typeof detail>>;

export const noMediaBuy: AdminFailure = {
  code: 'NOT_FOUND',
  message: 'There is no media buy with this id.',
  field: 'id',
};
