import type { Connection } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import { isSettled } from './observe-leg.js';
import type { Leg } from './operation.js';
import type { OperationState } from './operation-store.js';
import { followLeg } from './follow-leg.js';
import type { BuysPorts, LegSecrets } from './ports.js';
import { pauseBeforeRetryMs } from './resume-leg.js';
import { runLeg } from './run-leg.js';

export interface RunLegs {
  readonly connections: ReadonlyMap<string, Connection>;
  readonly secrets: ReadonlyMap<string, LegSecrets>;
  readonly deadlineMs: number;
  /** Told of each leg when its seller has answered, in the order of answering. */
  readonly onAnswered?: (leg: Leg) => void;
}

/**
 * Runs the legs of a stored operation side by side until each seller has answered or the deadline has come.
 *
 * A leg whose outcome is not known is tried again inside the deadline; afterwards the follower goes on with it. The
 * buyer going away stops nothing here: what was begun is a promise.
 */
export async function runLegs(
  ports: BuysPorts,
  scope: TenantScope,
  begun: OperationState,
  run: RunLegs,
): Promise<OperationState> {
  const endsAt = ports.clock.now() + run.deadlineMs;
  await Promise.all(begun.legs.map((leg) => runUntil(ports, scope, leg, run, endsAt)));
  return (await ports.store.state(scope, begun.operation.id)) ?? begun;
}

async function runUntil(
  ports: BuysPorts,
  scope: TenantScope,
  leg: Leg,
  run: RunLegs,
  endsAt: number,
): Promise<void> {
  const connection = run.connections.get(leg.connectionId);
  if (connection === undefined) throw new Error(`Leg ${leg.id} names a connection that was not loaded.`);
  const credential = run.secrets.get(leg.connectionId)?.credential;
  for (let attempt = 1; ; attempt += 1) {
    const leftMs = endsAt - ports.clock.now();
    if (leftMs <= 0) return;
    const signal = new AbortController();
    const stop = ports.clock.after(leftMs, () => signal.abort());
    const sending = {
      connection,
      signal: signal.signal,
      ...(credential === undefined ? {} : { credential }),
    };
    const state = await (attempt === 1 ? runLeg : followLeg)(ports, scope, leg.id, sending).finally(stop);
    const now = state?.legs.find((candidate) => candidate.id === leg.id);
    if (now !== undefined && (isSettled(now) || now.status !== 'sent')) {
      run.onAnswered?.(now);
      return;
    }
    await pause(ports, Math.min(pauseBeforeRetryMs(attempt), Math.max(0, endsAt - ports.clock.now())));
  }
}

function pause(ports: BuysPorts, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    ports.clock.after(delayMs, resolve);
  });
}
