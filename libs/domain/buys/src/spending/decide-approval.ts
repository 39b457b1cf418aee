import { splitId, taskError, type TaskError } from '@switchyard/protocol';
import type { Reach, TenantScope } from '@switchyard/tenancy';
import { err, ok, type Instant, type Result } from '@switchyard/values';
import { endedLists } from '../plan/ended-lists.js';
import { findOffers } from '../plan/find-offers.js';
import { quotedAmount } from '../terms/quoted-terms.js';
import type { Leg } from '../model/operation.js';
import type { Offer } from '../model/offer.js';
import type { OperationState } from '../model/operation-state.js';
import type { BuysPorts } from '../model/ports.js';
import { applyObservation } from '../apply/apply-observation.js';
import {
  isWaiting,
  waitsForApproval,
  type InternalApproval,
  type InternalApprovals,
} from './internal-approval.js';
import { breachText } from '../model/limit.js';
import type { QuotedPrice } from '../model/spend.js';

export type DecidingPorts = BuysPorts & { readonly internal: InternalApprovals };

interface Decider {
  readonly scope: TenantScope;
  readonly principalId: string;
  readonly reach: Reach;
}

export interface DecisionFailure {
  readonly code:
    | 'NOT_FOUND'
    | 'OWN_REQUEST'
    | 'DECIDED_BEFORE'
    | 'BUSY'
    | 'OVER_LIMIT'
    | 'NO_RATE'
    | 'LIST_ENDED';
  readonly message: string;
}

/**
 * Approves a request that waits for an internal approval. Its prices are checked again: if one has risen, or
 * an offer is gone, the request fails, because that is not what was approved. The bytes and keys that were
 * frozen at the request are sent like any unsent leg.
 */
export async function approveRequest(
  ports: DecidingPorts,
  decider: Decider,
  id: string,
  reason?: string,
): Promise<Result<InternalApproval, DecisionFailure>> {
  const found = await decidable(ports, decider, id);
  if (!found.ok) return found;
  const at = ports.clock.now();
  const connections = await ports.connections.list(decider.scope);
  const { offers } = await findOffers(
    ports,
    { scope: decider.scope, principalId: found.value.requestedBy },
    {
      productIds: found.value.quotes.map(({ productId }) => productId),
      brand: found.value.brandDomain === undefined ? {} : { domain: found.value.brandDomain },
      connections: new Map(connections.map((connection) => [connection.slug, connection])),
    },
  );
  const ended = await endedNow(ports, decider, found.value);
  if (ended !== undefined) return err(ended);
  const faults = priceFaults(found.value.quotes, offers, at);
  const by = { by: decider.principalId, at, ...(reason === undefined ? {} : { reason }) };
  if (faults.length > 0) return failed(ports, decider, { id, by, errors: faults });
  const decided = await ports.internal.decide(decider.scope, id, { state: 'approved', ...by }, (state) =>
    released(state, at),
  );
  if (decided.kind === 'changed') return failed(ports, decider, { id, by, errors: [changedMeanwhile] });
  if (decided.kind === 'busy')
    return err({ code: 'BUSY', message: `Another change is being sent to the seller ${decided.seller}.` });
  if (decided.kind === 'over') return err({ code: 'OVER_LIMIT', message: breachText(decided.breaches) });
  if (decided.kind === 'no_rate') {
    const message = `A spending limit is in ${decided.to}, and no rate from ${decided.from} was entered.`;
    return err({ code: 'NO_RATE', message });
  }
  return decided.kind === 'decided' ? again(ports, decider, id) : err(decidedBefore);
}

/** It stays open where a list that it names has ended meanwhile: it is free again once that was read from its owner. */
async function endedNow(
  { store, endedLists: reader }: DecidingPorts,
  { scope }: Decider,
  { operationId }: InternalApproval,
): Promise<DecisionFailure | undefined> {
  const state = reader && (await store.state(scope, operationId));
  if (state === undefined) return undefined;
  const request = { field: '', targetingOverlay: state.operation.request };
  const [fault] = await endedLists(reader, scope, [request]);
  return fault && { code: 'LIST_ENDED', message: fault.message };
}

/** Denies a request that waits for an internal approval. No seller was called. */
export async function denyRequest(
  ports: DecidingPorts,
  decider: Decider,
  id: string,
  reason?: string,
): Promise<Result<InternalApproval, DecisionFailure>> {
  const found = await decidable(ports, decider, id);
  if (!found.ok) return found;
  const at = ports.clock.now();
  const decision = { state: 'denied' as const, by: decider.principalId, at };
  const message = reason === undefined ? 'The request was denied.' : `The request was denied: ${reason}`;
  const error = taskError('BUDGET_EXCEEDED', message);
  const decided = await ports.internal.decide(
    decider.scope,
    id,
    { ...decision, ...(reason === undefined ? {} : { reason }) },
    (state) => ended(state, 'rejected', [error], at),
  );
  return decided.kind === 'decided' ? again(ports, decider, id) : err(decidedBefore);
}

/** Ends approvals that have expired. Returns their number. */
export async function expireRequests(
  { internal }: Pick<DecidingPorts, 'internal'>,
  scope: TenantScope,
  at: Instant,
): Promise<number> {
  const ids = await internal.expired(scope, at, 100);
  for (const id of ids)
    await internal.decide(scope, id, { state: 'expired', at }, (state) =>
      ended(state, 'rejected', [expired], at),
    );
  return ids.length;
}

/** The legs of an operation that wait for an approval; held cancellations are not among them. */
export function waitingLegs({ legs, operation }: Pick<OperationState, 'legs' | 'operation'>): readonly Leg[] {
  return legs.filter((leg) => leg.task === operation.task && isWaiting(leg));
}

/** Ends the waiting legs as if every seller had answered so. No seller has seen them. */
export function ended(
  state: OperationState,
  status: 'rejected' | 'failed' | 'canceled',
  errors: readonly TaskError[],
  at: Instant,
): OperationState {
  const waiting = new Set(waitingLegs(state).map(({ id }) => id));
  const unsent: OperationState = {
    ...state,
    legs: state.legs.map((leg): Leg => (waiting.has(leg.id) ? { ...leg, status: 'pending' } : leg)),
  };
  const reply = { status, replayed: false, payload: {}, errors };
  return [...waiting].reduce<OperationState>(
    (now, legId) => applyObservation(now, legId, { source: 'person', at, reply }),
    unsent,
  );
}

/** Makes the waiting legs due at once, like any unsent leg. */
function released(state: OperationState, at: Instant): OperationState {
  const waiting = new Set(waitingLegs(state).map(({ id }) => id));
  const legs = state.legs.map((leg): Leg => {
    if (!waiting.has(leg.id)) return leg;
    const findings = leg.findings.filter(({ code }) => code !== waitsForApproval);
    return { ...leg, status: 'pending', nextPollAt: at, findings };
  });
  return { ...state, legs, operation: { ...state.operation, updatedAt: at } };
}

/** The errors for quoted prices that no longer apply: the offer is gone, or costs more. */
export function priceFaults(
  quotes: readonly QuotedPrice[],
  offers: ReadonlyMap<string, Offer>,
  now: Instant,
): readonly TaskError[] {
  return quotes.flatMap((quote): TaskError[] => {
    const offer = offers.get(quote.productId);
    const price = offer?.pricingOptions.find((option) => option.pricingOptionId === quote.pricingOptionId);
    const slug = splitId(quote.productId);
    const of = { details: { product_id: quote.productId, ...(slug.ok && { seller: slug.value.slug }) } };
    if (offer === undefined || price === undefined || price.currency !== quote.currency)
      return [taskError('PRODUCT_UNAVAILABLE', `${quote.productId} is no longer offered at this price.`, of)];
    if (offer.expiresAt !== undefined && offer.expiresAt <= now)
      return [taskError('PRODUCT_EXPIRED', `The quote of ${quote.productId} has expired.`, of)];
    const hasRisen = [
      [quote.fixedPrice, price.fixedPrice],
      [quote.floorPrice, price.floorPrice],
    ].some(([then, today]) => (quotedAmount(today) ?? 0n) > (quotedAmount(then) ?? 0n));
    if (price.model === quote.model && !hasRisen) return [];
    const message = `The price of ${quote.productId} has risen since it was quoted.`;
    return [
      taskError('REQUOTE_REQUIRED', message, { suggestion: 'Send the request again as a new one.', ...of }),
    ];
  });
}

async function decidable(
  { internal }: DecidingPorts,
  { scope, principalId, reach }: Decider,
  id: string,
): Promise<Result<InternalApproval, DecisionFailure>> {
  const found = await internal.find(scope, id, reach);
  if (found === undefined) return err({ code: 'NOT_FOUND', message: 'There is no approval with this id.' });
  if (await internal.isOnePerson(scope, principalId, found.requestedBy)) {
    const message = 'The requester, and whoever can act as it, cannot decide: another person must.';
    return err({ code: 'OWN_REQUEST', message });
  }
  return found.state === 'open' ? ok(found) : err(decidedBefore);
}

async function failed(
  ports: DecidingPorts,
  decider: Decider,
  {
    id,
    by,
    errors,
  }: {
    readonly id: string;
    readonly by: { readonly by: string; readonly at: Instant };
    readonly errors: readonly TaskError[];
  },
): Promise<Result<InternalApproval, DecisionFailure>> {
  const reason = errors.map(({ code, message }) => `${code}: ${message}`).join(' ');
  const decided = await ports.internal.decide(
    decider.scope,
    id,
    { ...by, state: 'failed', reason },
    (state) => ended(state, 'failed', errors, by.at),
  );
  return decided.kind === 'decided' ? again(ports, decider, id) : err(decidedBefore);
}

async function again(
  { internal }: DecidingPorts,
  { scope, reach }: Decider,
  id: string,
): Promise<Result<InternalApproval, DecisionFailure>> {
  const found = await internal.find(scope, id, reach);
  return found === undefined
    ? err({ code: 'NOT_FOUND', message: 'There is no approval with this id.' })
    : ok(found);
}

const decidedBefore: DecisionFailure = {
  code: 'DECIDED_BEFORE',
  message: 'It is already decided, or it has expired.',
};

const changedMeanwhile = taskError('CONFLICT', 'The media buy was changed while this request waited.', {
  suggestion: 'Send the request again as a new one.',
});

const expired = taskError('BUDGET_EXCEEDED', 'Nobody approved the request in time.', {
  suggestion: 'Send a new request, or request less.',
});
