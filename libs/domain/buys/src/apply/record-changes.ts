import type { UpdateMediaBuyRequest } from '@switchyard/protocol';
import { defined, type Instant, type JsonObject } from '@switchyard/values';
import { cancellationFee, placeOf as placeInRequest } from '../terms/cancellation-terms.js';
import type { BuyChange, Leg, SellerBuy } from '../model/operation.js';
import type { OperationState } from '../model/operation-state.js';

/** The leg that changed a seller's buy, and when. */
export interface ChangedBy {
  readonly state: OperationState;
  readonly leg: Leg;
  /** The seller's buy before the change. */
  readonly sellerBuy: SellerBuy;
  readonly at: Instant;
}

/** One record of what was requested for the seller's whole buy, and one for each package. */
export function recordChanges(
  by: ChangedBy,
  requested: UpdateMediaBuyRequest,
  revision: number,
): readonly BuyChange[] {
  const { state, leg } = by;
  const actor = leg.task === state.operation.task ? ('buyer' as const) : ('compensation' as const);
  const base = { ...placeOf(by), actor, revision };
  const fees = leg.findings.filter(({ code }) => code === cancellationFee);
  // The terms of a compensation were recorded before its packages had ids.
  const idAt = (field: string): string =>
    state.packages.find((item) => item.seller === leg.seller && placeInRequest(item) === field)
      ?.sellerPackageId ?? field;
  const feesOf = (packageId?: string): JsonObject => {
    const own = fees.filter(({ field }) => packageId === undefined || field === packageId);
    return own.length === 0
      ? {}
      : { fees: own.map(({ message, field }) => ({ package_id: idAt(field ?? ''), terms: message })) };
  };
  const dates: JsonObject = defined({ start_time: requested.startTime, end_time: requested.endTime });
  const changes: BuyChange[] = [];
  if (requested.canceled === true) changes.push({ ...base, action: 'cancel', detail: feesOf() });
  if (requested.paused !== undefined && requested.canceled !== true)
    changes.push({ ...base, action: requested.paused ? 'pause' : 'resume', detail: {} });
  if (Object.keys(dates).length > 0) changes.push({ ...base, action: 'update_dates', detail: dates });
  for (const item of requested.packages) {
    const packageId = item.packageId ?? '';
    const detail: JsonObject = {
      ...defined({ budget: item.budget, bid_price: item.bidPrice, paused: item.paused }),
      ...(item.canceled === true ? { canceled: true, ...feesOf(packageId) } : {}),
      ...(item.targetingOverlay === undefined ? {} : { targeting: 'replaced' }),
      ...(item.creativeAssignments === undefined ? {} : { creatives: 'replaced' }),
    };
    const action = item.canceled === true ? 'remove_packages' : 'update_packages';
    changes.push({ ...base, action, packageId, detail });
  }
  if (requested.newPackages.length > 0)
    changes.push({ ...base, action: 'add_packages', detail: { packages: requested.newPackages.length } });
  return changes;
}

/** The ids and time of a change. */
export function placeOf({
  state,
  leg,
  sellerBuy,
  at,
}: ChangedBy): Omit<BuyChange, 'actor' | 'action' | 'detail' | 'revision'> {
  return {
    mediaBuyId: sellerBuy.mediaBuyId,
    sellerBuyId: sellerBuy.id,
    operationId: state.operation.id,
    legId: leg.id,
    seller: sellerBuy.seller,
    at,
  };
}
