import {
  canBecome,
  updateMediaBuy,
  type MediaBuyStatus,
  type UpdateMediaBuyAnswer,
  type UpdateMediaBuyRequest,
} from '@switchyard/protocol';
import { defined, type Instant, isoOf } from '@switchyard/values';
import { requestedChange } from './requested-change.js';
import { recordPackages } from './record-packages.js';
import { judgePackages } from './judge-packages.js';
import { isSettled } from '../model/leg-state.js';
import type { Leg, SellerBuy, MediaBuy } from '../model/operation.js';
import type { OperationState } from '../model/operation-state.js';
import { placeOf, recordChanges } from './record-changes.js';
import { refusedStatus, withRefusal } from './refuse-transition.js';
import { replaceSellerBuy } from '../model/replace-seller-buy.js';
import { cancellationOf, withReportedBuy } from './reported-buy.js';
import { datesIn, applyReportedFlight, withFlight } from './apply-reported-flight.js';
import { applyReportedPackages, withNewFindings } from './apply-reported-packages.js';
import { flightAtSeller, type Flight } from '../model/flight.js';

/** Applies a completed `update_media_buy` leg to the buy and its packages. Other legs change nothing. */
export function recordUpdate(state: OperationState, leg: Leg, at: Instant): OperationState {
  const before = state.sellerBuys.find((candidate) => candidate.id === leg.sellerBuyId);
  if (state.buy === undefined || before === undefined || !isSettled(leg)) return state;
  const answer =
    leg.status === 'completed' ? updateMediaBuy.readAnswer(leg.answer ?? {}, leg.profile) : undefined;
  const requested = requestedChange(leg);
  if (answer?.ok !== true || requested === undefined) return state;
  const reported = statusAfter(before.status, requested, answer.value.answer);
  const isLegal = reported === before.status || canBecome(before.status, reported);
  const isFirst = !state.legs.some((other) => other.id !== leg.id && isAcceptedChange(other));
  const revision = isFirst ? state.buy.revision + 1 : state.buy.revision;
  const status = isLegal ? reported : before.status;
  const isCalledOff = status === 'canceled' && before.status !== 'canceled';
  const cancellation = isCalledOff
    ? { cancellation: cancellationOf('buyer', at, requested.cancellationReason) }
    : {};
  const agreed = agreeFlight(state.buy, state.sellerBuys, { accepted: before, at }, requested);
  const flight = applyReportedFlight(
    agreed.flight,
    agreed.sellerBuy,
    datesIn(answer.value.answer.original),
    undefined,
  );
  const sellerBuy = withReportedBuy(changedSellerBuy(flight.sellerBuy, answer.value.answer, status, at), {
    ...recipientIn(answer.value.answer),
    ...cancellation,
  });
  const buy = { ...state.buy, revision, ...agreed.flight };
  const changed = { ...replaceSellerBuy({ ...state, sellerBuys: agreed.sellerBuys }, sellerBuy), buy };
  const judged = judgePackages(changed, leg, requested, { sellerBuy: before, revision, at });
  const affected = answer.value.answer.affectedPackages;
  const booked = recordPackages(judged.state, leg, { requested: judged.requested, affected, at });
  const by = { state: booked, leg, sellerBuy: before, at };
  const changes = recordChanges(by, judged.requested, revision);
  const refused = isLegal ? [] : [refusedStatus(by, reported, revision)];
  const own = booked.legs.find((candidate) => candidate.id === leg.id) ?? leg;
  const legs = withNewFindings(booked.legs, own, flight.findings);
  const updated = legs.find((candidate) => candidate.id === leg.id) ?? own;
  const taken = applyReportedPackages({ ...booked, legs }, { leg: updated, sellerBuy, at }, affected);
  const dates = { ...placeOf(by), actor: 'seller' as const, action: 'update_dates' };
  const ofSeller = [
    ...(Object.keys(flight.detail).length > 0 ? [{ ...dates, detail: flight.detail }] : []),
    ...taken.changes,
    ...taken.refusals,
  ].map((change) => ({ ...change, revision }));
  return {
    ...booked,
    packages: taken.packages,
    legs: isLegal ? taken.legs : withRefusal(taken.legs, leg, before.status, reported),
    changes: [...(state.changes ?? []), ...changes, ...judged.refusals, ...refused, ...ofSeller],
  };
}

function recipientIn({
  invoiceRecipient,
}: UpdateMediaBuyAnswer): Pick<UpdateMediaBuyAnswer, 'invoiceRecipient'> {
  return invoiceRecipient === undefined ? {} : { invoiceRecipient };
}

function isAcceptedChange(leg: Leg): boolean {
  return leg.sellerBuyId !== undefined && leg.status === 'completed';
}

/** The reported status; without one, the requested change has taken effect. */
function statusAfter(
  before: MediaBuyStatus,
  requested: UpdateMediaBuyRequest,
  { status }: UpdateMediaBuyAnswer,
): MediaBuyStatus {
  if (status !== undefined) return status;
  if (requested.canceled === true) return 'canceled';
  if (requested.paused === undefined) return before;
  if (requested.paused) return 'paused';
  return before === 'paused' ? 'active' : before;
}

function changedSellerBuy(
  before: SellerBuy,
  answer: UpdateMediaBuyAnswer,
  status: MediaBuyStatus,
  at: Instant,
): SellerBuy {
  const { actions: _ofTheOldState, ...rest } = before;
  return {
    ...rest,
    status,
    statusAsOf: at,
    ...defined({ revision: answer.revision, actions: answer.actions }),
  };
}

interface AgreedFlight {
  /** The agreed flight of the buy. */
  readonly flight: Flight;
  /** The part of the seller that accepted. */
  readonly sellerBuy: SellerBuy;
  readonly sellerBuys: readonly SellerBuy[];
}

/**
 * Applies new dates of a buy that one seller accepted. The parts of other sellers keep their dates until those sellers
 * accept too. A start `asap` counts as `at` until the seller reports the real start.
 */
function agreeFlight(
  buy: Pick<MediaBuy, 'startTime' | 'endTime'>,
  sellerBuys: readonly SellerBuy[],
  { accepted, at }: { readonly accepted: SellerBuy; readonly at: Instant },
  { startTime, endTime }: Pick<UpdateMediaBuyRequest, 'startTime' | 'endTime'>,
): AgreedFlight {
  const isAsap = startTime === 'asap';
  const flight = {
    startTime: isAsap ? isoOf(at) : (startTime ?? buy.startTime),
    endTime: endTime ?? buy.endTime,
  };
  if (startTime === undefined && endTime === undefined) return { flight, sellerBuy: accepted, sellerBuys };
  const pinned = (part: SellerBuy, now: Flight, startsAsap: boolean | undefined): SellerBuy =>
    withFlight(part, {
      ...(isSame(now.startTime, flight.startTime) ? {} : { startTime: now.startTime }),
      ...(isSame(now.endTime, flight.endTime) ? {} : { endTime: now.endTime }),
      ...(startsAsap === undefined ? {} : { startsAsap }),
    });
  const atSeller = flightAtSeller(buy, accepted);
  const taken = {
    startTime: startTime === undefined ? atSeller.startTime : flight.startTime,
    endTime: endTime ?? atSeller.endTime,
  };
  const sellerBuy = pinned(accepted, taken, startTime === undefined ? accepted.reported?.startsAsap : isAsap);
  return {
    flight,
    sellerBuy,
    sellerBuys: sellerBuys.map((part) =>
      part.id === accepted.id
        ? sellerBuy
        : pinned(part, flightAtSeller(buy, part), part.reported?.startsAsap),
    ),
  };
}

function isSame(one: string, other: string): boolean {
  return Date.parse(one) === Date.parse(other);
}
