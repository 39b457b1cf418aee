import {
  canBecome,
  updateMediaBuy,
  type MediaBuyStatus,
  type UpdateMediaBuyAnswer,
  type UpdateMediaBuyRequest,
} from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';
import { askedOf } from './asked-of.js';
import { agreeFlight } from './agree-flight.js';
import { bookPackages } from '../observe/book-packages.js';
import { judgePackages } from './judge-packages.js';
import { isSettled } from '../observe/observe-leg.js';
import type { Leg, SellerBuy } from '../model/operation.js';
import type { OperationState } from '../model/operation-store.js';
import { placeOf, recordChanges } from './record-changes.js';
import { refusedStatus, withRefusal } from './refuse-transition.js';
import { replaceSellerBuy } from '../model/replace-seller-buy.js';
import { cancellationOf, withBuySaid } from '../observe/said-of-buy.js';
import { datesIn, takeFlightSaid } from '../observe/take-flight-said.js';
import { takePackagesSaid, withNewFindings } from '../observe/take-packages-said.js';

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
  const status = isLegal ? said : before.status;
  const isCalledOff = status === 'canceled' && before.status !== 'canceled';
  const cancellation = isCalledOff
    ? { cancellation: cancellationOf('buyer', at, asked.cancellationReason) }
    : {};
  const agreed = agreeFlight(state.buy, state.sellerBuys, before, asked, at);
  const flight = takeFlightSaid(agreed.flight, agreed.own, datesIn(answer.value.answer.original), undefined);
  const sellerBuy = withBuySaid(changedSellerBuy(flight.sellerBuy, answer.value.answer, status, at), {
    ...recipientIn(answer.value.answer),
    ...cancellation,
  });
  const buy = { ...state.buy, revision, ...agreed.flight };
  const changed = { ...replaceSellerBuy({ ...state, sellerBuys: agreed.parts }, sellerBuy), buy };
  const judged = judgePackages(changed, leg, asked, { sellerBuy: before, revision, at });
  const affected = answer.value.answer.affectedPackages;
  const booked = bookPackages(judged.state, leg, judged.asked, affected, at);
  const changes = recordChanges(booked, leg, before, judged.asked, revision, at);
  const refused = isLegal ? [] : [refusedStatus(booked, leg, before, said, revision, at)];
  const own = booked.legs.find((one) => one.id === leg.id) ?? leg;
  const legs = withNewFindings(booked.legs, own, flight.findings);
  const told = legs.find((one) => one.id === leg.id) ?? own;
  const taken = takePackagesSaid({ ...booked, legs }, { leg: told, sellerBuy, at }, affected);
  const dates = { ...placeOf(booked, leg, before, at), actor: 'seller' as const, action: 'update_dates' };
  const ofSeller = [
    ...(Object.keys(flight.detail).length > 0 ? [{ ...dates, detail: flight.detail }] : []),
    ...taken.changes,
    ...taken.refusals,
  ].map((one) => ({ ...one, revision }));
  return {
    ...booked,
    packages: taken.packages,
    legs: isLegal ? taken.legs : withRefusal(taken.legs, leg, before.status, said),
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
