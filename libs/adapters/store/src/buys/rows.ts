import type {
  BuyChange,
  BuyPackage,
  Leg,
  LegStatus,
  MediaBuy,
  ObservationSource,
  Operation,
  OperationMove,
  Belonging,
  SellerBuy,
} from '@switchyard/buys';
import type {
  AvailableAction,
  Dialect,
  Finding,
  Form,
  MediaBuyStatus,
  TaskError,
  TaskStatus,
} from '@switchyard/protocol';
import { present } from '../core/present.js';
import { isJsonObject, type JsonObject } from '@switchyard/values';

/** A row as `pg` returns it. Each column is read here only. */
export type Row = Readonly<Record<string, unknown>>;

function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new Error(`Column ${column} holds no text.`);
  return value;
}

function maybeText(row: Row, column: string): string | undefined {
  const value = row[column];
  return typeof value === 'string' ? value : undefined;
}

function maybeNumber(row: Row, column: string): number | undefined {
  const value = row[column];
  return typeof value === 'number' ? value : undefined;
}

function instant(row: Row, column: string): number | undefined {
  const value = row[column];
  return value instanceof Date ? value.getTime() : undefined;
}

function json(row: Row, column: string): JsonObject | undefined {
  const value = row[column];
  return isJsonObject(value) ? value : undefined;
}

function list(row: Row, column: string): readonly unknown[] {
  const value = row[column];
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

/** States after the first; absent if there were none. */
function historyOf(row: Row): readonly OperationMove[] | undefined {
  const moves = list(row, 'history');
  return moves.length === 0 ? undefined : (moves as readonly OperationMove[]);
}

export function operationOf(row: Row): Operation {
  return {
    id: text(row, 'id'),
    organizationId: text(row, 'organization_id'),
    principalId: text(row, 'principal_id'),
    task: text(row, 'task'),
    taskId: text(row, 'task_id'),
    requestHash: text(row, 'request_hash'),
    profile: { dialect: text(row, 'dialect') as Dialect, form: text(row, 'form') as Form },
    request: json(row, 'request') ?? {},
    status: text(row, 'status') as TaskStatus,
    createdAt: instant(row, 'created_at') ?? 0,
    updatedAt: instant(row, 'updated_at') ?? 0,
    ...present({
      idempotencyKey: maybeText(row, 'idempotency_key'),
      buyerRef: maybeText(row, 'buyer_ref'),
      mediaBuyId: maybeText(row, 'media_buy_id'),
      brandDomain: maybeText(row, 'brand_domain'),
      clientId: maybeText(row, 'client_id'),
      campaignId: maybeText(row, 'campaign_id'),
      version: maybeText(row, 'version'),
      context: json(row, 'context'),
      answer: json(row, 'answer'),
      contextId: maybeText(row, 'context_id'),
      history: historyOf(row),
      plan: json(row, 'plan'),
      signedBy: json(row, 'signed_by') as Operation['signedBy'],
      settledAt: instant(row, 'settled_at'),
    }),
  };
}

export function legOf(row: Row): Leg {
  return {
    id: text(row, 'id'),
    organizationId: text(row, 'organization_id'),
    operationId: text(row, 'operation_id'),
    connectionId: text(row, 'connection_id'),
    seller: text(row, 'seller'),
    task: text(row, 'task'),
    profile: { dialect: text(row, 'dialect') as Dialect, form: text(row, 'form') as Form },
    outbound: text(row, 'outbound'),
    status: text(row, 'status') as LegStatus,
    attempts: maybeNumber(row, 'attempts') ?? 0,
    errors: list(row, 'errors') as readonly TaskError[],
    findings: list(row, 'findings') as readonly Finding[],
    createdAt: instant(row, 'created_at') ?? 0,
    ...present({
      sealed: row['sealed'] === true ? (true as const) : undefined,
      sellerBuyId: maybeText(row, 'seller_buy_id'),
      sellerTaskId: maybeText(row, 'seller_task_id'),
      a2aTaskId: maybeText(row, 'a2a_task_id'),
      contextId: maybeText(row, 'context_id'),
      answer: json(row, 'answer'),
      observedBy: maybeText(row, 'observed_by') as ObservationSource | undefined,
      observedAt: instant(row, 'observed_at'),
      notifiedAt: instant(row, 'told_at'),
      sentAt: instant(row, 'sent_at'),
      earlier: (row['earlier'] ?? undefined) as Leg['earlier'],
      nextPollAt: instant(row, 'next_poll_at'),
      elapsedMs: maybeNumber(row, 'elapsed_ms'),
    }),
  };
}

/** The principal, client, brand and campaign of a buy or an operation. */
export function belongingOf(row: Row): Belonging {
  return present({
    brandDomain: maybeText(row, 'brand_domain'),
    clientId: maybeText(row, 'client_id'),
    campaignId: maybeText(row, 'campaign_id'),
  });
}

export function mediaBuyOf(row: Row): MediaBuy {
  return {
    id: text(row, 'id'),
    organizationId: text(row, 'organization_id'),
    operationId: text(row, 'operation_id'),
    principalId: text(row, 'principal_id'),
    brand: json(row, 'brand') ?? {},
    operator: text(row, 'operator'),
    currency: text(row, 'currency'),
    status: text(row, 'status') as MediaBuyStatus,
    revision: maybeNumber(row, 'revision') ?? 1,
    startTime: text(row, 'start_time'),
    endTime: text(row, 'end_time'),
    createdAt: instant(row, 'created_at') ?? 0,
    updatedAt: instant(row, 'updated_at') ?? 0,
    ...belongingOf(row),
    ...present({
      buyerRef: maybeText(row, 'buyer_ref'),
      context: json(row, 'context'),
    }),
  };
}

export function sellerBuyOf(row: Row): SellerBuy {
  return {
    id: text(row, 'id'),
    mediaBuyId: text(row, 'media_buy_id'),
    legId: text(row, 'leg_id'),
    connectionId: text(row, 'connection_id'),
    seller: text(row, 'seller'),
    status: text(row, 'status') as MediaBuyStatus,
    ...present({
      sellerMediaBuyId: maybeText(row, 'seller_media_buy_id'),
      statusAsOf: instant(row, 'status_as_of'),
      revision: maybeNumber(row, 'revision'),
      actions: Array.isArray(row['actions']) ? (row['actions'] as readonly AvailableAction[]) : undefined,
      reported: json(row, 'said'),
      confirmedAt: instant(row, 'confirmed_at'),
      reportingEndedAt: instant(row, 'reporting_ended_at'),
    }),
  };
}

export function packageOf(row: Row): BuyPackage {
  const bid = maybeText(row, 'bid_micros');
  return {
    id: text(row, 'id'),
    mediaBuyId: text(row, 'media_buy_id'),
    legId: text(row, 'leg_id'),
    position: maybeNumber(row, 'position') ?? 0,
    seller: text(row, 'seller'),
    productId: text(row, 'product_id'),
    pricingOptionId: text(row, 'pricing_option_id'),
    currency: text(row, 'currency'),
    // bigint columns are read as text, so that no digit is lost.
    budgetMicros: BigInt(text(row, 'budget_micros')),
    ...present({
      bidMicros: bid === undefined ? undefined : BigInt(bid),
      buyerRef: maybeText(row, 'buyer_ref'),
      context: json(row, 'context'),
      targeting: json(row, 'targeting'),
      terms: json(row, 'terms') as BuyPackage['terms'],
      sellerPackageId: maybeText(row, 'seller_package_id'),
      paused: row['paused'] === true ? true : undefined,
      canceledAt: instant(row, 'canceled_at'),
    }),
  };
}

export function changeOf(row: Row): BuyChange {
  return {
    mediaBuyId: text(row, 'media_buy_id'),
    sellerBuyId: text(row, 'seller_buy_id'),
    operationId: text(row, 'operation_id'),
    legId: text(row, 'leg_id'),
    seller: text(row, 'seller'),
    revision: maybeNumber(row, 'revision') ?? 1,
    actor: text(row, 'actor') as BuyChange['actor'],
    action: text(row, 'action'),
    detail: json(row, 'detail') ?? {},
    at: instant(row, 'at') ?? 0,
    ...present({
      packageId: maybeText(row, 'package_id'),
      principalId: maybeText(row, 'principal_id'),
    }),
  };
}
