import type { BuyChange, BuyPackage, Leg, MediaBuy, Operation, SellerBuy } from '@switchyard/buys';
import type { Instant } from '@switchyard/values';

type Columns = Readonly<Record<string, unknown>>;

const date = (instant: Instant | undefined): Date | undefined =>
  instant === undefined ? undefined : new Date(instant);

export function operationColumns(operation: Operation): Columns {
  return {
    id: operation.id,
    organization_id: operation.organizationId,
    principal_id: operation.principalId,
    task: operation.task,
    task_id: operation.taskId,
    idempotency_key: operation.idempotencyKey,
    request_hash: operation.requestHash,
    signed_by: operation.signedBy,
    buyer_ref: operation.buyerRef,
    media_buy_id: operation.mediaBuyId,
    brand_domain: operation.brandDomain,
    client_id: operation.clientId,
    campaign_id: operation.campaignId,
    dialect: operation.profile.dialect,
    form: operation.profile.form,
    version: operation.version,
    request: operation.request,
    context: operation.context,
    context_id: operation.contextId,
    history: operation.history,
    status: operation.status,
    plan: operation.plan,
    settled_at: date(operation.settledAt),
    created_at: date(operation.createdAt),
    updated_at: date(operation.updatedAt),
  };
}

export function legColumns(leg: Leg): Columns {
  const at = leg.createdAt;
  return {
    id: leg.id,
    organization_id: leg.organizationId,
    operation_id: leg.operationId,
    connection_id: leg.connectionId,
    seller: leg.seller,
    seller_buy_id: leg.sellerBuyId,
    task: leg.task,
    dialect: leg.profile.dialect,
    form: leg.profile.form,
    outbound: leg.outbound,
    created_at: date(at),
    // Due at once by default: if this process dies before the first send, the follower finds the leg.
    next_poll_at: date(leg.nextPollAt ?? at),
    sealed: leg.sealed === true,
    attempts: leg.attempts,
    sent_at: date(leg.sentAt),
    ...changedLegColumns(leg, at),
  };
}

/** Frozen columns of a leg. They are rewritten if a cancellation is let go: the seller must read what was sent. */
export function frozenLegColumns(leg: Leg): Columns {
  return {
    dialect: leg.profile.dialect,
    form: leg.profile.form,
    outbound: leg.outbound,
    attempts: leg.attempts,
    sent_at: date(leg.sentAt),
    earlier: leg.earlier,
  };
}

/** Columns of a leg that an observation may change. The frozen bytes are not among them. */
export function changedLegColumns(leg: Leg, at: Instant): Columns {
  return {
    status: leg.status,
    seller_task_id: leg.sellerTaskId,
    a2a_task_id: leg.a2aTaskId,
    context_id: leg.contextId,
    answer: leg.answer,
    errors: leg.errors,
    findings: leg.findings,
    observed_by: leg.observedBy,
    observed_at: date(leg.observedAt),
    told_at: date(leg.notifiedAt),
    elapsed_ms: leg.elapsedMs,
    updated_at: date(at),
  };
}

export function mediaBuyColumns(buy: MediaBuy): Columns {
  return {
    id: buy.id,
    organization_id: buy.organizationId,
    operation_id: buy.operationId,
    principal_id: buy.principalId,
    buyer_ref: buy.buyerRef,
    brand: buy.brand,
    brand_domain: buy.brandDomain,
    client_id: buy.clientId,
    campaign_id: buy.campaignId,
    operator: buy.operator,
    currency: buy.currency,
    status: buy.status,
    revision: buy.revision,
    start_time: buy.startTime,
    end_time: buy.endTime,
    context: buy.context,
    created_at: date(buy.createdAt),
    updated_at: date(buy.updatedAt),
  };
}

export function sellerBuyColumns(organizationId: string, sellerBuy: SellerBuy, at: Instant): Columns {
  return {
    id: sellerBuy.id,
    organization_id: organizationId,
    media_buy_id: sellerBuy.mediaBuyId,
    leg_id: sellerBuy.legId,
    connection_id: sellerBuy.connectionId,
    seller: sellerBuy.seller,
    created_at: date(at),
    ...changedSellerBuyColumns(sellerBuy, at),
  };
}

/**
 * Columns of a seller's buy that an observation may change. Only the ledger writes when its reports ended, under its
 * own lock: written here, it would be the value read before that lock was taken.
 */
export function changedSellerBuyColumns(sellerBuy: SellerBuy, at: Instant): Columns {
  return {
    seller_media_buy_id: sellerBuy.sellerMediaBuyId,
    status: sellerBuy.status,
    status_as_of: date(sellerBuy.statusAsOf),
    revision: sellerBuy.revision,
    actions: sellerBuy.actions,
    said: sellerBuy.reported,
    confirmed_at: date(sellerBuy.confirmedAt),
    updated_at: date(at),
  };
}

export function packageColumns(organizationId: string, item: BuyPackage): Columns {
  return {
    id: item.id,
    organization_id: organizationId,
    media_buy_id: item.mediaBuyId,
    leg_id: item.legId,
    position: item.position,
    seller: item.seller,
    buyer_ref: item.buyerRef,
    product_id: item.productId,
    currency: item.currency,
    context: item.context,
    ...changedPackageColumns(item),
  };
}

/** Columns of a package that an observation may change: none of what was bought, except an open price option. */
export function changedPackageColumns(item: BuyPackage): Columns {
  return {
    pricing_option_id: item.pricingOptionId,
    budget_micros: item.budgetMicros,
    bid_micros: item.bidMicros,
    targeting: item.targeting,
    terms: item.terms,
    seller_package_id: item.sellerPackageId,
    paused: item.paused ?? false,
    canceled_at: date(item.canceledAt),
  };
}

/** The result of a change of a buy, as a row of its own. */
export function changeColumns(organizationId: string, change: BuyChange): Columns {
  return {
    organization_id: organizationId,
    media_buy_id: change.mediaBuyId,
    seller_buy_id: change.sellerBuyId,
    operation_id: change.operationId,
    leg_id: change.legId,
    seller: change.seller,
    revision: change.revision,
    actor: change.actor,
    action: change.action,
    package_id: change.packageId,
    detail: change.detail,
    at: date(change.at),
  };
}
