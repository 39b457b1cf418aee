import {
  findTask,
  observe,
  readTaskStatus,
  type Finding,
  requestedPart,
  rollUp,
  type MediaBuyStatus,
  type TaskStatus,
} from '@switchyard/protocol';
import { type Instant, canonicalJson } from '@switchyard/values';
import { recordAnswer } from './record-answer.js';
import { replyWithBuyerIds } from '../model/buyer-creative-ids.js';
import { observeLeg, unreadableAnswer } from './observe-leg.js';
import { type LegObservation, isSettled, isMadeOrMayBe } from '../model/leg-state.js';
import type { Leg } from '../model/operation.js';
import type { OperationState } from '../model/operation-state.js';
import { withStoredPage } from './stored-pages.js';
import { taskRegression, terminalConflict } from './refuse-transition.js';
import { isMarketRead, asReadEnd, readableRead } from './market-read.js';
import { outboundOf } from '../model/outbound.js';

export interface Applied {
  readonly state: OperationState;
  /** `parked`: the seller reports success, but its answer cannot be read. */
  readonly kind: 'changed' | 'duplicate' | 'stale' | 'conflict' | 'parked';
}

/**
 * Applies an observation of one leg to its operation: the leg, the seller's buy and packages, the status of
 * the local buy and of the operation. Pure; the caller holds the lock and stores the result.
 */
export function applyObservation(state: OperationState, legId: string, seen: LegObservation): OperationState {
  return applyAndExplain(state, legId, seen).state;
}

/** Does the same, and returns the kind of result. */
export function applyAndExplain(state: OperationState, legId: string, update: LegObservation): Applied {
  const leg = state.legs.find((candidate) => candidate.id === legId);
  if (leg === undefined) return { state, kind: 'stale' };
  // Which rows are local is decided by the ids that were sent.
  const own = withOwnRows(leg, update);
  const seen = { ...own, reply: replyWithBuyerIds(own.reply, leg.connectionId) };
  const isRead = isMarketRead(leg.task);
  const begun = isRead ? withStoredPage(leg, seen) : undefined;
  if (begun !== undefined) return { state: settle(withLeg(state, begun), seen.at), kind: 'changed' };
  const change = observeLeg(leg, isRead ? asReadEnd(seen) : seen);
  if (change.kind === 'unchanged') {
    const isRefused = isRegression(leg, seen);
    return {
      state: isRefused ? refusing(state, leg, seen, regressionOf(leg, seen)) : state,
      kind: change.why,
    };
  }
  if (change.kind === 'conflict')
    return { state: refusing(state, leg, seen, conflictOf(seen)), kind: 'conflict' };
  const readable = isRead ? readableRead(change.leg) : readableOr(change.leg);
  const booked = recordAnswer(withLeg(state, readable), readable, seen.at);
  return {
    state: settle(undoMade(booked, seen.at), seen.at),
    kind: readable.status === 'parked' ? 'parked' : 'changed',
  };
}

export function withLeg(state: OperationState, leg: Leg): OperationState {
  return { ...state, legs: state.legs.map((other) => (other.id === leg.id ? leg : other)) };
}

/** Does not apply an illegal change, and adds a finding to the leg, once per wording. */
function refusing(state: OperationState, leg: Leg, { at }: LegObservation, finding: Finding): OperationState {
  const marked = withFinding(leg, finding);
  if (marked === leg) return state;
  return { ...withLeg(state, marked), operation: { ...state.operation, updatedAt: at } };
}

function conflictOf({ source, reply }: LegObservation): Finding {
  const message = `A second end (${reply.status}, by ${source}) was reported and not applied.`;
  return { code: terminalConflict, message };
}

function regressionOf(leg: Leg, { reply }: LegObservation): Finding {
  const message = `The seller reports ${reply.status} of a task that was ${leg.status}: it was not applied.`;
  return { code: taskRegression, message };
}

/**
 * Whether a poll returned an earlier status, which is an error of the seller. In a webhook the same may only
 * be late, and is stored with the message.
 */
function isRegression(leg: Leg, { source, reply }: LegObservation): boolean {
  if (source !== 'poll' || isSettled(leg) || reply.status === 'unknown') return false;
  const known = readTaskStatus(leg.status);
  return known !== undefined && observe(known, reply.status) === 'stale';
}

/** Adds a finding once per code and message, so that a sender that repeats itself does not fill the leg. */
function withFinding(leg: Leg, finding: Finding): Leg {
  const known = leg.findings.some(
    ({ code, message }) => code === finding.code && message === finding.message,
  );
  return known ? leg : { ...leg, findings: [...leg.findings, finding] };
}

/**
 * An unreadable success is not a failure, because something may be running: the leg is parked for a person.
 */
function readableOr(leg: Leg): Leg {
  if (leg.status !== 'completed') return leg;
  const read = findTask(leg.task)?.readAnswer(leg.answer ?? {}, leg.profile);
  if (read === undefined || read.ok) return leg;
  const message = 'The seller reports success, but its answer does not follow the protocol.';
  return withFinding({ ...leg, status: 'parked', errors: read.error }, { code: unreadableAnswer, message });
}

function settle(state: OperationState, at: Instant): OperationState {
  const awaited = state.legs.filter((leg) => leg.status !== 'held');
  const status = operationStatus(awaited, state.operation.task);
  const done = awaited.every(isSettled);
  const operation = { ...state.operation, status, updatedAt: at, ...(done ? { settledAt: at } : {}) };
  if (state.buy === undefined) return { ...state, operation };
  return { ...state, operation, buy: { ...state.buy, status: buyStatus(state), updatedAt: at } };
}

/** Removes rows that the leg did not request: in a shared account they may be another tenant's. */
export function withOwnRows(
  leg: Pick<Leg, 'id' | 'task' | 'outbound'>,
  seen: LegObservation,
): LegObservation {
  const payload = requestedPart(leg.task, outboundOf(leg), seen.reply.payload);
  return payload === seen.reply.payload ? seen : { ...seen, reply: { ...seen.reply, payload } };
}

/**
 * Applies all or nothing: once one seller failed, releases the cancellation of every part that was made, and of parts
 * that are made later. Pure; it is stored together with the observation that caused it, so that a crash cannot
 * separate them.
 *
 * The bytes of a cancellation are frozen here: the seller's id is known only now, and nothing was sent before.
 */
function undoMade(state: OperationState, at: Instant): OperationState {
  if (!state.legs.some((leg) => leg.status === 'held')) return state;
  const primary = state.legs.filter((leg) => leg.task === state.operation.task);
  if (!primary.some((leg) => isSettled(leg) && leg.status !== 'completed')) return state;
  const legs = state.legs.map((leg): Leg => {
    const sellerBuy = state.sellerBuys.find((candidate) => candidate.id === leg.sellerBuyId);
    const maker = state.legs.find((candidate) => candidate.id === sellerBuy?.legId);
    const id = sellerBuy?.sellerMediaBuyId;
    if (leg.status !== 'held' || maker?.status !== 'completed' || id === undefined) return leg;
    const outbound = canonicalJson({ ...outboundOf(leg), media_buy_id: id });
    return { ...leg, status: 'pending', outbound, nextPollAt: at };
  });
  return { ...state, legs };
}

/** The status of a buy, rolled up from the sellers' buys. Failed legs do not count once another leg was made. */
export function buyStatus(state: Pick<OperationState, 'sellerBuys'>): MediaBuyStatus {
  const made = state.sellerBuys.filter(isMadeOrMayBe);
  return rollUp((made.length > 0 ? made : state.sellerBuys).map((sellerBuy) => sellerBuy.status));
}

/**
 * The operation's task status for the buyer, rolled up from its legs. Where made legs had to be undone the
 * request has failed, whatever the outcome of the cancellations.
 */
export function operationStatus(
  legs: readonly Pick<Leg, 'status' | 'task' | 'observedBy'>[],
  task = legs[0]?.task,
): TaskStatus {
  if (legs.length === 0) return 'completed';
  if (isMarketRead(task)) return readStatus(legs);
  const open = legs.filter((leg) => !isSettled(leg));
  if (open.some((leg) => leg.status === 'input-required')) return 'input-required';
  if (open.some((leg) => leg.status === 'working')) return 'working';
  if (open.length > 0) return 'submitted';
  if (legs.some((leg) => leg.task !== task)) return 'failed';
  if (legs.some((leg) => leg.status === 'completed')) return 'completed';
  const [first] = legs;
  const same = first !== undefined && legs.every((leg) => leg.status === first.status);
  return same && (first.status === 'rejected' || first.status === 'canceled') ? first.status : 'failed';
}

/**
 * A read is open until its last answer arrives, and then completed by all that arrived. It is canceled where
 * the buyer canceled it before any late answer came. Progress at sellers is not shown.
 */
function readStatus(legs: readonly Pick<Leg, 'status' | 'observedBy'>[]): TaskStatus {
  if (!legs.every(isSettled)) return 'submitted';
  const isCalledOff = legs.some((leg) => leg.status === 'canceled' && leg.observedBy === 'inline');
  const cameLate = legs.some((leg) => leg.status === 'completed' && leg.observedBy !== 'inline');
  return isCalledOff && !cameLate ? 'canceled' : 'completed';
}
