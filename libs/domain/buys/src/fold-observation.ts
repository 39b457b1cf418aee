import {
  createMediaBuy,
  rollUp,
  type CreateMediaBuyAnswer,
  type MediaBuyStatus,
  type TaskStatus,
} from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';
import { mapPackages } from './map-packages.js';
import { isSettled, observeLeg, type LegObservation } from './observe-leg.js';
import type { BuyPackage, Leg, SellerBuy } from './operation.js';
import type { OperationState } from './operation-store.js';

/**
 * Folds what was learnt about one leg into its operation: the leg, the seller's buy and packages it brings, our
 * buy's status, and the operation's own. Pure; the caller holds the lock and stores the result.
 */
export function foldObservation(state: OperationState, legId: string, seen: LegObservation): OperationState {
  const leg = state.legs.find((candidate) => candidate.id === legId);
  if (leg === undefined) return state;
  const change = observeLeg(leg, seen);
  if (change.kind === 'conflict') {
    const finding = {
      code: 'TERMINAL_CONFLICT',
      message: `A second end (${seen.reply.status}) was reported and not applied.`,
    };
    return withLeg(state, { ...leg, findings: [...leg.findings, finding] });
  }
  if (change.kind === 'unchanged') return state;
  const changed = withLeg(state, change.leg);
  return settle(state.buy === undefined ? changed : withSellerBuy(changed, change.leg, seen.at), seen.at);
}

function withLeg(state: OperationState, leg: Leg): OperationState {
  return { ...state, legs: state.legs.map((other) => (other.id === leg.id ? leg : other)) };
}

/** Reads the answer of a completed `create_media_buy` leg into the seller's buy and our packages. */
function withSellerBuy(state: OperationState, leg: Leg, at: Instant): OperationState {
  const before = state.sellerBuys.find((candidate) => candidate.legId === leg.id);
  if (before === undefined || !isSettled(leg)) return state;
  const read =
    leg.status === 'completed' && leg.answer ? createMediaBuy.readAnswer(leg.answer, leg.voice) : undefined;
  if (read?.ok !== true) {
    // A buy that was made but cannot be read is no failure: something may be running. A person has to look.
    if (read !== undefined) return withLeg(state, { ...leg, status: 'parked', errors: read.error });
    const status = leg.status === 'canceled' ? 'canceled' : 'rejected';
    return replaceSellerBuy(state, { ...before, status, statusAsOf: at });
  }
  const { answer } = read.value;
  const sellerBuy: SellerBuy = {
    ...before,
    sellerMediaBuyId: answer.mediaBuyId,
    status: answer.status,
    statusAsOf: at,
    ...(answer.revision === undefined ? {} : { revision: answer.revision }),
    ...(typeof answer.confirmedAt === 'string' ? { confirmedAt: Date.parse(answer.confirmedAt) } : {}),
  };
  return withPackages(replaceSellerBuy(state, sellerBuy), leg, answer);
}

function replaceSellerBuy(state: OperationState, sellerBuy: SellerBuy): OperationState {
  const sellerBuys = state.sellerBuys.map((other) => (other.id === sellerBuy.id ? sellerBuy : other));
  return { ...state, sellerBuys };
}

function withPackages(state: OperationState, leg: Leg, answer: CreateMediaBuyAnswer): OperationState {
  const matches = mapPackages(
    state.packages.filter((item) => item.legId === leg.id),
    answer.packages,
  );
  const ids = new Map(matches.map((match) => [match.wanted.id, match.created.packageId]));
  const packages = state.packages.map((item): BuyPackage => {
    const sellerPackageId = ids.get(item.id);
    return sellerPackageId === undefined ? item : { ...item, sellerPackageId };
  });
  const findings = matches
    .filter((match) => match.by === 'order')
    .map((match) => ({
      code: 'PACKAGE_MATCHED_BY_ORDER',
      message: `The seller's package ${match.created.packageId} was matched by its place alone.`,
    }));
  return withLeg({ ...state, packages }, { ...leg, findings: [...leg.findings, ...findings] });
}

function settle(state: OperationState, at: Instant): OperationState {
  const status = operationStatus(state.legs);
  const done = state.legs.every(isSettled);
  const operation = { ...state.operation, status, updatedAt: at, ...(done ? { settledAt: at } : {}) };
  if (state.buy === undefined) return { ...state, operation };
  return { ...state, operation, buy: { ...state.buy, status: buyStatus(state), updatedAt: at } };
}

/** Our buy's status: the roll-up over the sellers' buys, where failed legs do not count once another leg was made. */
export function buyStatus(state: Pick<OperationState, 'legs' | 'sellerBuys'>): MediaBuyStatus {
  const made = state.sellerBuys.filter((sellerBuy) => {
    const leg = state.legs.find((candidate) => candidate.id === sellerBuy.legId);
    return leg === undefined || !isSettled(leg) || leg.status === 'completed';
  });
  return rollUp((made.length > 0 ? made : state.sellerBuys).map((sellerBuy) => sellerBuy.status));
}

/** The operation's task status towards the buyer, over the legs' own. */
export function operationStatus(legs: readonly Leg[]): TaskStatus {
  const open = legs.filter((leg) => !isSettled(leg));
  if (open.some((leg) => leg.status === 'input-required')) return 'input-required';
  if (open.some((leg) => leg.status === 'working')) return 'working';
  if (open.length > 0) return 'submitted';
  if (legs.some((leg) => leg.status === 'completed')) return 'completed';
  const [first] = legs;
  const same = first !== undefined && legs.every((leg) => leg.status === first.status);
  return same && (first.status === 'rejected' || first.status === 'canceled') ? first.status : 'failed';
}
