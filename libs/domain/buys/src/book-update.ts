import {
  canBecome,
  updateMediaBuy,
  type CreatedPackage,
  type MediaBuyStatus,
  type UpdateMediaBuyAnswer,
  type UpdateMediaBuyRequest,
} from '@switchyard/protocol';
import type { Instant, JsonObject } from '@switchyard/values';
import { replaceSellerBuy } from './replace-seller-buy.js';
import { cancellationFee } from './cancellation-terms.js';
import { mapPackages } from './map-packages.js';
import { isSettled } from './observe-leg.js';
import type { BuyChange, BuyPackage, Leg, SellerBuy } from './operation.js';
import type { OperationState } from './operation-store.js';
import { outboundOf } from './outbound.js';
import { budgetMicros } from './plan-update.js';

/** The finding on a leg whose seller named a state that cannot follow the one before. */
export const illegalTransition = 'ILLEGAL_TRANSITION';

/** Reads a completed `update_media_buy` leg into the seller's buy, its packages and the buy. Other legs book nothing. */
export function bookUpdate(state: OperationState, leg: Leg, at: Instant): OperationState {
  const before = state.sellerBuys.find((one) => one.id === leg.sellerBuyId);
  if (state.buy === undefined || before === undefined || !isSettled(leg)) return state;
  const answer =
    leg.status === 'completed' ? updateMediaBuy.readAnswer(leg.answer ?? {}, leg.voice) : undefined;
  const asked = askedOf(leg);
  if (answer?.ok !== true || asked === undefined) return state;
  const said = statusAfter(before.status, asked, answer.value.answer);
  const isLegal = said === before.status || canBecome(before.status, said);
  const isFirst = !state.legs.some((other) => other.id !== leg.id && isAcceptedChange(other));
  const revision = isFirst ? state.buy.revision + 1 : state.buy.revision;
  const sellerBuy = changedSellerBuy(before, answer.value.answer, isLegal ? said : before.status, at);
  const buy = {
    ...state.buy,
    revision,
    ...(asked.startTime === undefined || asked.startTime === 'asap' ? {} : { startTime: asked.startTime }),
    ...(asked.endTime === undefined ? {} : { endTime: asked.endTime }),
  };
  const changed = { ...replaceSellerBuy(state, sellerBuy), buy };
  const booked = withPackages(changed, leg, asked, answer.value.answer.affectedPackages, at);
  const changes = changesOf(booked, leg, before, asked, revision, at);
  const refused = isLegal ? [] : [refusedStatus(booked, leg, before, said, revision, at)];
  return {
    ...booked,
    legs: isLegal ? booked.legs : withRefusal(booked.legs, leg, before.status, said),
    changes: [...(state.changes ?? []), ...changes, ...refused],
  };
}

function isAcceptedChange(leg: Leg): boolean {
  return leg.sellerBuyId !== undefined && leg.status === 'completed';
}

/** What the frozen bytes asked for, in the seller's own ids: that alone was changed, whatever the buyer asked of us. */
export function askedOf(leg: Leg): UpdateMediaBuyRequest | undefined {
  // A seller whose tool names no key was sent none; reading is not the place to miss it.
  const args = { idempotency_key: 'kept-for-reading-only', ...outboundOf(leg) };
  const read = updateMediaBuy.readRequest(args, leg.voice, new Map());
  return read.ok ? read.value : undefined;
}

/** What the seller says the buy is now; where it says nothing, what was asked for has happened. */
function statusAfter(
  before: MediaBuyStatus,
  asked: UpdateMediaBuyRequest,
  { status }: UpdateMediaBuyAnswer,
): MediaBuyStatus {
  if (status !== undefined) return status;
  if (asked.canceled === true) return 'canceled';
  if (asked.paused === undefined) return before;
  if (asked.paused) return 'paused';
  return before === 'paused' ? 'active' : before;
}

function changedSellerBuy(
  before: SellerBuy,
  answer: UpdateMediaBuyAnswer,
  status: MediaBuyStatus,
  at: Instant,
): SellerBuy {
  const { actions: _ofTheOldState, ...kept } = before;
  return {
    ...kept,
    status,
    statusAsOf: at,
    ...(answer.revision === undefined ? {} : { revision: answer.revision }),
    ...(answer.actions === undefined ? {} : { actions: answer.actions }),
  };
}

function withPackages(
  state: OperationState,
  leg: Leg,
  asked: UpdateMediaBuyRequest,
  affected: readonly CreatedPackage[],
  at: Instant,
): OperationState {
  const own = (item: BuyPackage): boolean => item.seller === leg.seller;
  const known = new Set(state.packages.filter(own).map((item) => item.sellerPackageId));
  const fresh = state.packages.filter((item) => item.legId === leg.id && item.sellerPackageId === undefined);
  const made = mapPackages(
    fresh,
    affected.filter((one) => !known.has(one.packageId)),
  );
  const ids = new Map(made.map(({ wanted, created }) => [wanted.id, created.packageId]));
  const packages = state.packages.map((item): BuyPackage => {
    const sellerPackageId = ids.get(item.id);
    if (sellerPackageId !== undefined) return { ...item, sellerPackageId };
    const update = own(item)
      ? asked.packages.find((one) => one.packageId !== undefined && one.packageId === item.sellerPackageId)
      : undefined;
    if (update === undefined) return item;
    return {
      ...item,
      ...(update.budget === undefined ? {} : { budgetMicros: budgetMicros(update.budget, item.currency) }),
      ...(update.bidPrice === undefined ? {} : { bidMicros: budgetMicros(update.bidPrice, item.currency) }),
      ...(update.paused === undefined ? {} : { paused: update.paused }),
      ...(update.canceled === true ? { canceledAt: at } : {}),
    };
  });
  const lost = fresh.length - made.length;
  if (lost === 0) return { ...state, packages };
  const message = `The seller accepted the change and names ${lost} of the new packages not.`;
  const finding = { code: 'NEW_PACKAGE_UNNAMED', message };
  const legs = state.legs.map((one) =>
    one.id === leg.id ? { ...one, findings: [...one.findings, finding] } : one,
  );
  return { ...state, packages, legs };
}

/** One record of what the whole part was told, and one of each package. */
function changesOf(
  state: OperationState,
  leg: Leg,
  sellerBuy: SellerBuy,
  asked: UpdateMediaBuyRequest,
  revision: number,
  at: Instant,
): readonly BuyChange[] {
  const actor = leg.task === state.operation.task ? ('buyer' as const) : ('compensation' as const);
  const base = { ...placeOf(state, leg, sellerBuy, at), actor, revision };
  const fees = leg.findings.filter(({ code }) => code === cancellationFee);
  const feesOf = (packageId?: string): JsonObject => {
    const own = fees.filter(({ field }) => packageId === undefined || field === packageId);
    return own.length === 0
      ? {}
      : { fees: own.map(({ message, field }) => ({ package_id: field ?? '', terms: message })) };
  };
  const whole: JsonObject = {
    ...(asked.startTime === undefined ? {} : { start_time: asked.startTime }),
    ...(asked.endTime === undefined ? {} : { end_time: asked.endTime }),
  };
  const changes: BuyChange[] = [];
  if (asked.canceled === true) changes.push({ ...base, action: 'cancel', detail: feesOf() });
  if (asked.paused !== undefined && asked.canceled !== true)
    changes.push({ ...base, action: asked.paused ? 'pause' : 'resume', detail: {} });
  if (Object.keys(whole).length > 0) changes.push({ ...base, action: 'update_dates', detail: whole });
  for (const one of asked.packages) {
    const packageId = one.packageId ?? '';
    const detail: JsonObject = {
      ...(one.budget === undefined ? {} : { budget: one.budget }),
      ...(one.bidPrice === undefined ? {} : { bid_price: one.bidPrice }),
      ...(one.paused === undefined ? {} : { paused: one.paused }),
      ...(one.canceled === true ? { canceled: true, ...feesOf(packageId) } : {}),
      ...(one.targetingOverlay === undefined ? {} : { targeting: 'replaced' }),
      ...(one.creativeAssignments === undefined ? {} : { creatives: 'replaced' }),
    };
    const action = one.canceled === true ? 'remove_packages' : 'update_packages';
    changes.push({ ...base, action, packageId, detail });
  }
  if (asked.newPackages.length > 0)
    changes.push({ ...base, action: 'add_packages', detail: { packages: asked.newPackages.length } });
  return changes;
}

function placeOf(
  state: OperationState,
  leg: Leg,
  sellerBuy: SellerBuy,
  at: Instant,
): Omit<BuyChange, 'actor' | 'action' | 'detail' | 'revision'> {
  return {
    mediaBuyId: sellerBuy.mediaBuyId,
    sellerBuyId: sellerBuy.id,
    operationId: state.operation.id,
    legId: leg.id,
    seller: sellerBuy.seller,
    at,
  };
}

/** A state that a seller named and that cannot follow: it is refused, and the record says so. */
export function refusedStatus(
  state: OperationState,
  leg: Leg,
  sellerBuy: SellerBuy,
  said: MediaBuyStatus,
  revision: number,
  at: Instant,
): BuyChange {
  const detail = { from: sellerBuy.status, to: said };
  return {
    ...placeOf(state, leg, sellerBuy, at),
    actor: 'seller',
    action: 'refused_transition',
    revision,
    detail,
  };
}

/** The same on the leg, where a person looks. */
export function withRefusal(
  legs: readonly Leg[],
  leg: Pick<Leg, 'id'>,
  from: MediaBuyStatus,
  to: MediaBuyStatus,
): readonly Leg[] {
  const finding = {
    code: illegalTransition,
    message: `The seller says ${to} of a buy that is ${from}: that cannot follow, and was not applied.`,
  };
  return legs.map((one) => {
    const isKnown = one.findings.some(
      ({ code, message }) => code === finding.code && message === finding.message,
    );
    return one.id !== leg.id || isKnown ? one : { ...one, findings: [...one.findings, finding] };
  });
}
