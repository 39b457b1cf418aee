import { throughLogin } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import { isTaken } from '../model/leg-lease.js';
import type { OperationState } from '../model/operation-state.js';
import { pollLeg } from './poll-leg.js';
import type { BuysPorts } from '../model/ports.js';
import { nextStep, runLeg } from './run-leg.js';
import type { Leg } from '../model/operation.js';
import type { LegRun } from '../call/leg-run.js';
import { findBuyAtSeller } from './find-buy-at-seller.js';
import type { SearchResult } from './search-result.js';
import { storeObservation } from './store-observation.js';

/** Performs the next step of an unfinished leg. */
export async function followLeg(
  ports: BuysPorts,
  scope: TenantScope,
  legId: string,
  known: LegRun,
): Promise<OperationState | undefined> {
  const leg = await ports.store.leg(scope, legId);
  if (leg === undefined) return undefined;
  const run = await asWritten(ports, scope, leg, known);
  const now = ports.clock.now();
  const step = nextStep(leg, run.connection, now);
  // A send is still running: a read-back would find nothing yet, and could park a leg that will succeed.
  if (step === 'leave' || (step === 'read_back' && isTaken(leg, now))) return undefined;
  const signing = run.signer === undefined ? await withSigner(ports, scope, leg, run) : run;
  switch (step) {
    case 'send':
    case 'send_again':
      return runLeg(ports, scope, legId, signing);
    case 'read_back':
      return readBack(ports, scope, leg, signing);
    case 'poll':
      return pollLeg(ports, scope, leg, signing);
  }
}

/** For a leg that was encoded again, loads the current connection if the caller's version is older. */
async function asWritten(
  { connections }: Pick<BuysPorts, 'connections'>,
  scope: TenantScope,
  { refusedAttempts, profile, connectionId, login }: Leg,
  run: LegRun,
): Promise<LegRun> {
  const { dialect, form } = run.connection;
  if (refusedAttempts === undefined || (dialect === profile.dialect && form === profile.form)) return run;
  const connection = await connections.byId(scope, connectionId);
  return connection === undefined ? run : { ...run, connection: throughLogin(connection, login) };
}

/** A follower signs as the principal that began the leg, at sellers that verify signatures. */
async function withSigner(ports: BuysPorts, scope: TenantScope, leg: Leg, run: LegRun): Promise<LegRun> {
  if (ports.signerFor === undefined) return run;
  const { capabilities, wantsRelaySignature } = run.connection;
  if (capabilities?.requestSigning.supported !== true && wantsRelaySignature !== true) return run;
  const state = await ports.store.state(scope, leg.operationId);
  if (state === undefined) return run;
  const use = { operationId: leg.operationId, purpose: leg.task };
  return { ...run, signer: ports.signerFor(scope, state.operation.principalId, use) };
}

type NotFound = Exclude<SearchResult['kind'], 'found'>;

/** How long after a send a seller is read again before the leg is parked: it may still be working or unreachable. */
const pauseMs: Readonly<Record<NotFound, number>> = {
  not_found: 60_000,
  no_answer: 600_000,
  no_way: 0,
};

const reasons: Readonly<Record<NotFound, string>> = {
  not_found:
    'The outcome of this request is unknown: the seller did not answer, and its list does not show it.',
  no_answer: 'The outcome of this request is unknown: the seller did not answer and cannot be asked.',
  no_way:
    'The outcome of this request is unknown: the seller did not answer and has no list that would show it.',
};

/**
 * Finds the outcome of a send by reading the seller's state (docs/protocol/idempotency.md#unknown-outcomes).
 *
 * Only finding the buy settles the leg. Not finding it proves nothing, so the leg is finally parked for a
 * person: a mutation is never repeated on a guess.
 */
async function readBack(
  ports: BuysPorts,
  scope: TenantScope,
  leg: Leg,
  run: LegRun,
): Promise<OperationState | undefined> {
  const found = await findBuyAtSeller(ports, scope, leg, run);
  const at = ports.clock.now();
  if (found.kind === 'found') {
    const reply = { status: 'completed' as const, replayed: false, payload: found.payload, errors: [] };
    return (await storeObservation(ports, scope, leg, { source: 'read_back', at, reply }))?.state;
  }
  const sinceMs = at - (leg.sentAt ?? leg.createdAt);
  if (sinceMs < pauseMs[found.kind]) {
    await ports.store.releaseLeg(scope, leg, at + Math.min(60_000, Math.max(2_000, sinceMs)));
    return undefined;
  }
  const message = reasons[found.kind];
  await ports.store.parkLeg(scope, leg.id, message, at);
  ports.notice({ code: 'LEG_PARKED', seller: leg.seller, legId: leg.id, message });
  return ports.store.state(scope, leg.operationId);
}
