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
import { releaseNamed, type WireProfile } from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';
import { rowReader, rowWriter, type Row } from '../core/row-mapper.js';

const profileOf = ({ dialect, form }: Row): WireProfile => ({ dialect, form }) as WireProfile;

const readOperation = rowReader<Omit<Operation, 'profile' | 'history'>>()(`
  id, organization_id, principal_id, task, task_id, request_hash, request, status, created_at, updated_at,
  idempotency_key, buyer_ref, media_buy_id, brand_domain, client_id, campaign_id, version, context, answer, context_id,
  plan, signed_by, settled_at, program`);

export function operationOf(row: Row): Operation {
  // States after the first; absent if there were none.
  const history = (row['history'] ?? []) as readonly OperationMove[];
  const read = readOperation(row);
  // The version of an operation is what its answer named: a release after the newest form is found by it.
  const release = releaseNamed(read.version)?.name;
  const profile = release === undefined ? profileOf(row) : { ...profileOf(row), release };
  return { ...read, profile, ...(history.length > 0 && { history }) };
}

const readLeg = rowReader<Omit<Leg, 'profile' | 'errors' | 'findings' | 'sealed'>>()(`
  id, organization_id, operation_id, connection_id, seller, task, outbound, status, attempts, created_at,
  seller_buy_id, seller_task_id, a2a_task_id, context_id, answer, observed_by, observed_at, reported_at, sent_at,
  refused_attempts, next_poll_at, elapsed_ms, login, trace_parent`);

export function legOf(row: Row): Leg {
  return {
    ...readLeg(row),
    errors: (row['errors'] ?? []) as Leg['errors'],
    findings: (row['findings'] ?? []) as Leg['findings'],
    profile: profileOf(row),
    ...(row['sealed'] === true && { sealed: true }),
  };
}

/** The client, brand and campaign of a buy or an operation. */
export const belongingOf = rowReader<Belonging>()('brand_domain, client_id, campaign_id');

const columnsOfBuy = `
  id, organization_id, operation_id, principal_id, brand, operator, currency, status, revision, start_time, end_time,
  created_at, updated_at, brand_domain, client_id, campaign_id, buyer_ref, context`;
export const mediaBuyOf = rowReader<MediaBuy>()(columnsOfBuy);
export const mediaBuyColumns = rowWriter<MediaBuy>()(columnsOfBuy);

const namesOfBuy = columnsOfBuy.split(',').map((column) => column.trim());
/** The columns of `buy` beside others, and its reader; undefined where it is not there. */
export const buyColumns = namesOfBuy.map((column) => `buy.${column} AS of_buy_${column}`).join(', ');
export function buyBeside(row: Row): MediaBuy | undefined {
  if (row['of_buy_id'] === null) return undefined;
  return mediaBuyOf(Object.fromEntries(namesOfBuy.map((column) => [column, row[`of_buy_${column}`]])));
}

export const sellerBuyOf = rowReader<SellerBuy>()(`
  id, media_buy_id, leg_id, connection_id, seller, account_id, login, status, seller_media_buy_id, status_as_of, revision, actions, reported,
  confirmed_at, reporting_ended_at`);

const readPackage = rowReader<Omit<BuyPackage, 'paused'>>()(`
  id, media_buy_id, leg_id, position, seller, product_id, pricing_option_id, currency, budget_micros, bid_micros,
  buyer_ref, context, targeting, terms, seller_package_id, canceled_at`);

export function packageOf(row: Row): BuyPackage {
  return { ...readPackage(row), ...(row['paused'] === true && { paused: true }) };
}

export const changeOf = rowReader<BuyChange>()(`
  media_buy_id, seller_buy_id, operation_id, leg_id, seller, revision, actor, action, detail, at, package_id,
  principal_id`);

const date = (instant: Instant | undefined): Date | undefined =>
  instant === undefined ? undefined : new Date(instant);

const profileRow = rowWriter<WireProfile>()('dialect, form');

const operationRow = rowWriter<Operation>()(`
  id, organization_id, principal_id, task, task_id, idempotency_key, request_hash, signed_by, buyer_ref, media_buy_id,
  brand_domain, client_id, campaign_id, version, request, context, context_id, history, status, plan, settled_at,
  created_at, updated_at, program`);

export function operationColumns(operation: Operation): Row {
  return { ...operationRow(operation), ...profileRow(operation.profile) };
}

const legRow = rowWriter<Leg>()(`
  id, organization_id, operation_id, connection_id, seller, seller_buy_id, task, outbound, created_at, attempts, sent_at, login`);

export function legColumns(leg: Leg): Row {
  const at = leg.createdAt;
  return {
    ...legRow(leg),
    ...profileRow(leg.profile),
    // Due at once by default: if this process dies before the first send, the follower finds the leg.
    next_poll_at: date(leg.nextPollAt ?? at),
    sealed: leg.sealed === true,
    ...changedLegColumns(leg, at),
  };
}

const frozenRow = rowWriter<Leg>()('outbound, attempts, sent_at, refused_attempts');

/** Frozen columns of a leg. They are rewritten when a held cancellation is released: the seller must read what was sent. */
export function frozenLegColumns(leg: Leg): Row {
  return { ...frozenRow(leg), ...profileRow(leg.profile) };
}

const changedLegRow = rowWriter<Leg>()(`
  status, seller_task_id, a2a_task_id, context_id, answer, errors, findings, observed_by, observed_at, reported_at,
  elapsed_ms`);

/** Columns of a leg that an observation may change. The frozen bytes are not among them. */
export function changedLegColumns(leg: Leg, at: Instant): Row {
  return { ...changedLegRow(leg), updated_at: date(at) };
}

const sellerBuyRow = rowWriter<SellerBuy>()(
  'id, media_buy_id, leg_id, connection_id, seller, account_id, login',
);

export function sellerBuyColumns(organizationId: string, sellerBuy: SellerBuy, at: Instant): Row {
  return {
    ...sellerBuyRow(sellerBuy),
    organization_id: organizationId,
    created_at: date(at),
    ...changedSellerBuyColumns(sellerBuy, at),
  };
}

const changedSellerBuyRow = rowWriter<SellerBuy>()(
  'seller_media_buy_id, status, revision, actions, reported, confirmed_at',
);

/**
 * Columns of a seller's buy that an observation may change. Only the ledger writes when its reports ended, under its
 * own lock: written here, it would be the value read before that lock was taken.
 */
export function changedSellerBuyColumns(sellerBuy: SellerBuy, at: Instant): Row {
  return {
    ...changedSellerBuyRow(sellerBuy),
    status_as_of: date(sellerBuy.statusAsOf),
    updated_at: date(at),
  };
}

const packageRow = rowWriter<BuyPackage>()(
  'id, media_buy_id, leg_id, position, seller, buyer_ref, product_id, currency, context, reporting_zone',
);

export function packageColumns(organizationId: string, item: BuyPackage): Row {
  return { ...packageRow(item), organization_id: organizationId, ...changedPackageColumns(item) };
}

const changedPackageRow = rowWriter<BuyPackage>()(
  'pricing_option_id, budget_micros, bid_micros, targeting, terms, seller_package_id, canceled_at',
);

/** Columns of a package that an observation may change: none of what was bought, except an open price option. */
export function changedPackageColumns(item: BuyPackage): Row {
  return { ...changedPackageRow(item), paused: item.paused ?? false };
}

const changeRow = rowWriter<BuyChange>()(`
  media_buy_id, seller_buy_id, operation_id, leg_id, seller, revision, actor, action, package_id, detail, at`);

/** The result of a change of a buy, as a row of its own. */
export function changeColumns(organizationId: string, change: BuyChange): Row {
  return { ...changeRow(change), organization_id: organizationId };
}
