import { canBecome, isBuyOver, type MediaBuyStatus, type MediaBuyView } from '@switchyard/protocol';
import { defined, isoOf, type Instant, type JsonObject } from '@switchyard/values';
import { confirmedBy } from './record-answer.js';
import { replaceSellerBuy } from '../model/replace-seller-buy.js';
import { placeOf } from './record-changes.js';
import { refusedStatus, withRefusal } from './refuse-transition.js';
import type { BuyChange, SellerBuy } from '../model/operation.js';
import type { OperationState } from '../model/operation-state.js';
import { buyStatus } from './apply-observation.js';
import { cancellationOf, withReportedBuy } from './reported-buy.js';
import { applyReportedFlight } from './apply-reported-flight.js';
import { applyReportedPackages, withNewFindings } from './apply-reported-packages.js';

/**
 * Applies a seller's list to the record of one buy. Pure; the caller holds the lock. A final status does not
 * change. An illegal transition is refused and recorded. A revision older than the stored one is ignored.
 */
export function applyStatus(
  state: OperationState,
  sellerBuyId: string,
  seen: Pick<MediaBuyView, 'status' | 'revision' | 'confirmedAt' | 'actions'> &
    Partial<
      Pick<
        MediaBuyView,
        | 'packages'
        | 'creativeDeadline'
        | 'invoiceRecipient'
        | 'rejectionReason'
        | 'cancellation'
        | 'startTime'
        | 'endTime'
      >
    >,
  at: Instant,
): OperationState {
  const known = state.sellerBuys.find((item) => item.id === sellerBuyId);
  if (known === undefined || state.buy === undefined) return state;
  if (known.statusAsOf !== undefined && known.statusAsOf > at) return state;
  if (seen.revision !== undefined && known.revision !== undefined && seen.revision < known.revision) {
    return state;
  }
  if (seen.status !== known.status && !canBecome(known.status, seen.status))
    return refused(state, known, seen.status, at);
  if (isBuyOver(known.status)) return state;
  const confirmedAt = known.confirmedAt ?? confirmedBy(seen.confirmedAt ?? null, at);
  const { actions: _earlier, ...rest } = known;
  const { cancellation: reported, ...remaining } = seen;
  const isCalledOff = seen.status === 'canceled' && known.status !== 'canceled';
  const cancellation = isCalledOff ? { cancellation: cancellationOf('seller', at, undefined, reported) } : {};
  const leg = state.legs.find((candidate) => candidate.id === known.legId);
  const flight = applyReportedFlight(state.buy, rest, seen, leg);
  const sellerBuy: SellerBuy = {
    ...withReportedBuy(flight.sellerBuy, { ...remaining, ...cancellation }),
    status: seen.status,
    statusAsOf: at,
    ...defined({ actions: seen.actions, revision: seen.revision, confirmedAt }),
  };
  const changed = replaceSellerBuy(state, sellerBuy);
  const legs = leg === undefined ? state.legs : withNewFindings(state.legs, leg, flight.findings);
  const own = legs.find((candidate) => candidate.id === leg?.id);
  const taken =
    own === undefined
      ? undefined
      : applyReportedPackages({ ...state, legs }, { leg: own, sellerBuy, at }, seen.packages ?? []);
  const hasMoved =
    seen.revision !== undefined && known.revision !== undefined && seen.revision > known.revision;
  const hasNewDates = Object.keys(flight.detail).length > 0;
  const hasChanged = hasMoved || hasNewDates || (taken?.changes ?? []).length > 0;
  const revision = hasChanged ? state.buy.revision + 1 : state.buy.revision;
  const updatedAt = Math.max(state.buy.updatedAt, at);
  const buy = { ...state.buy, revision, status: buyStatus(changed), updatedAt };
  const ofPackages = [...(taken?.changes ?? []), ...(taken?.refusals ?? [])];
  return {
    ...changed,
    operation: { ...state.operation, updatedAt: Math.max(state.operation.updatedAt, at) },
    buy,
    packages: taken?.packages ?? state.packages,
    legs: taken?.legs ?? state.legs,
    changes: [
      ...(state.changes ?? []),
      ...sellersChanges({ ...changed, buy }, { before: known, after: sellerBuy, dates: flight.detail, at }),
      ...ofPackages.map((item) => ({ ...item, revision })),
    ],
  };
}

/** The changes that a seller made to its commitment by itself, as far as its list shows them. */
function sellersChanges(
  state: OperationState,
  {
    before,
    after,
    dates,
    at,
  }: {
    readonly before: SellerBuy;
    readonly after: SellerBuy;
    readonly dates: JsonObject;
    readonly at: Instant;
  },
): readonly BuyChange[] {
  const leg = state.legs.find((candidate) => candidate.id === after.legId);
  if (leg === undefined || state.buy === undefined) return [];
  const base = {
    ...placeOf({ state, leg, sellerBuy: after, at }),
    actor: 'seller' as const,
    revision: state.buy.revision,
  };
  const { confirmedAt } = after;
  const isOver =
    after.status !== before.status && (after.status === 'canceled' || after.status === 'rejected');
  const hasRevised =
    before.revision !== undefined && after.revision !== undefined && after.revision > before.revision;
  return [
    ...(before.confirmedAt === undefined && confirmedAt !== undefined
      ? [{ ...base, action: 'confirm', detail: { confirmed_at: isoOf(confirmedAt) } }]
      : []),
    ...(hasRevised
      ? [{ ...base, action: 'revise', detail: { from: before.revision ?? null, to: after.revision ?? null } }]
      : []),
    ...(Object.keys(dates).length > 0 ? [{ ...base, action: 'update_dates', detail: dates }] : []),
    ...(isOver
      ? [
          {
            ...base,
            action: after.status === 'canceled' ? 'cancel' : 'reject',
            detail: { from: before.status, to: after.status },
          },
        ]
      : []),
  ];
}

/** Refuses an illegal transition and records it once, however often the seller reports it. */
function refused(
  state: OperationState,
  known: SellerBuy,
  reported: MediaBuyStatus,
  at: Instant,
): OperationState {
  const leg = state.legs.find((candidate) => candidate.id === known.legId);
  if (leg === undefined || state.buy === undefined) return state;
  const legs = withRefusal(state.legs, leg, known.status, reported);
  if (legs.every((candidate, index) => candidate === state.legs[index])) return state;
  const change = refusedStatus({ state, leg, sellerBuy: known, at }, reported, state.buy.revision);
  const operation = { ...state.operation, updatedAt: Math.max(state.operation.updatedAt, at) };
  return { ...state, operation, legs, changes: [...(state.changes ?? []), change] };
}
