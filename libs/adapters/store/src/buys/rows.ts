import type {
  Belonging,
  BuyChange,
  BuyPackage,
  Leg,
  MediaBuy,
  Operation,
  OperationMove,
  SellerBuy,
} from '@switchyard/buys';
import type { WireProfile } from '@switchyard/protocol';
import { rowReader, type Row } from '../core/row-reader.js';

const profileOf = ({ dialect, form }: Row): WireProfile => ({ dialect, form }) as WireProfile;

const readOperation = rowReader<Omit<Operation, 'profile' | 'history'>>()(`
  id, organization_id, principal_id, task, task_id, request_hash, request, status, created_at, updated_at,
  idempotency_key, buyer_ref, media_buy_id, brand_domain, client_id, campaign_id, version, context, answer, context_id,
  plan, signed_by, settled_at`);

export function operationOf(row: Row): Operation {
  // States after the first; absent if there were none.
  const history = (row['history'] ?? []) as readonly OperationMove[];
  return { ...readOperation(row), profile: profileOf(row), ...(history.length > 0 && { history }) };
}

const readLeg = rowReader<Omit<Leg, 'profile' | 'errors' | 'findings' | 'sealed' | 'notifiedAt'>>()(`
  id, organization_id, operation_id, connection_id, seller, task, outbound, status, attempts, created_at,
  seller_buy_id, seller_task_id, a2a_task_id, context_id, answer, observed_by, observed_at, sent_at, earlier,
  next_poll_at, elapsed_ms`);

export function legOf(row: Row): Leg {
  const notified = row['told_at'];
  return {
    ...readLeg(row),
    errors: (row['errors'] ?? []) as Leg['errors'],
    findings: (row['findings'] ?? []) as Leg['findings'],
    profile: profileOf(row),
    ...(row['sealed'] === true && { sealed: true }),
    ...(notified instanceof Date && { notifiedAt: notified.getTime() }),
  };
}

/** The client, brand and campaign of a buy or an operation. */
export const belongingOf = rowReader<Belonging>()('brand_domain, client_id, campaign_id');

export const mediaBuyOf = rowReader<MediaBuy>()(`
  id, organization_id, operation_id, principal_id, brand, operator, currency, status, revision, start_time, end_time,
  created_at, updated_at, brand_domain, client_id, campaign_id, buyer_ref, context`);

const readSellerBuy = rowReader<Omit<SellerBuy, 'reported'>>()(`
  id, media_buy_id, leg_id, connection_id, seller, status, seller_media_buy_id, status_as_of, revision, actions,
  confirmed_at, reporting_ended_at`);

export function sellerBuyOf(row: Row): SellerBuy {
  const reported = row['said'] as SellerBuy['reported'] | null;
  return { ...readSellerBuy(row), ...(reported && { reported }) };
}

const readPackage = rowReader<Omit<BuyPackage, 'paused'>>()(`
  id, media_buy_id, leg_id, position, seller, product_id, pricing_option_id, currency, budget_micros, bid_micros,
  buyer_ref, context, targeting, terms, seller_package_id, canceled_at`);

export function packageOf(row: Row): BuyPackage {
  return { ...readPackage(row), ...(row['paused'] === true && { paused: true }) };
}

export const changeOf = rowReader<BuyChange>()(`
  media_buy_id, seller_buy_id, operation_id, leg_id, seller, revision, actor, action, detail, at, package_id,
  principal_id`);
