import type { Connection, SellerTarget, TransportFailure } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import { callSeller, failureAsError } from './call-seller.js';
import { foldObservation } from './fold-observation.js';
import { isSettled, type LegObservation } from './observe-leg.js';
import type { Leg } from './operation.js';
import type { OperationState } from './operation-store.js';
import type { BuysPorts } from './ports.js';
import { pauseBeforeRetryMs } from './resume-leg.js';

/** How long one send keeps others off its leg. Longer than any single call may take. */
const leaseMs = 45_000;
/** How long one send may take before it counts as lost. */
export const sendTimeoutMs = 30_000;

export interface LegRun {
  readonly connection: Connection;
  readonly credential?: SellerTarget['credential'];
  readonly signal: AbortSignal;
}

/**
 * Sends one leg with its frozen bytes and stores what came of it.
 *
 * A failure that proves the seller never saw the request ends the leg. Any other leaves it `sent`: what happened
 * there is found out later, with the same key and bytes or by reading back, never assumed.
 */
export async function runLeg(
  ports: BuysPorts,
  scope: TenantScope,
  legId: string,
  run: LegRun,
): Promise<OperationState | undefined> {
  const startedAt = ports.clock.now();
  const leg = await ports.store.takeLeg(scope, legId, startedAt, startedAt + leaseMs);
  if (leg === undefined) return undefined;
  const said = await callSeller(ports.transport, run, { task: leg.task, args: outboundOf(leg) }, run.signal);
  const at = ports.clock.now();
  const elapsedMs = at - startedAt;
  if (said.ok) return store(ports, scope, legId, { source: 'inline', at, elapsedMs, ...said.value });
  if (said.error.delivered === 'no' && said.error.code !== 'aborted') {
    return store(ports, scope, legId, {
      source: 'inline',
      at,
      elapsedMs,
      reply: failedReply(said.error, leg.seller),
    });
  }
  await ports.store.releaseLeg(scope, legId, at + pauseBeforeRetryMs(leg.attempts));
  return undefined;
}

/** Folds an observation into the stored operation, under its lock. */
export async function store(
  ports: BuysPorts,
  scope: TenantScope,
  legId: string,
  seen: LegObservation,
): Promise<OperationState | undefined> {
  return ports.store.change(scope, legId, (state) => foldObservation(state, legId, seen));
}

export function outboundOf(leg: Leg): JsonObject {
  const value: unknown = JSON.parse(leg.outbound);
  if (!isJsonObject(value)) throw new Error(`The stored arguments of leg ${leg.id} are not an object.`);
  return value;
}

function failedReply(failure: TransportFailure, seller: string): LegObservation['reply'] {
  return { status: 'failed', replayed: false, payload: {}, errors: [failureAsError(failure, seller)] };
}

/** True when an answer can be given without waiting: every leg is settled, or its seller said it will take time. */
export function isAnswerable(legs: readonly Leg[]): boolean {
  return legs.every((leg) => isSettled(leg) || (leg.status !== 'pending' && leg.status !== 'sent'));
}
