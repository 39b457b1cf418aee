import { capabilitiesPauseMs, type AgedSeller } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import { inspectSeller } from '../../composition/sellers/inspect-seller.js';
import type { WorkerDeps } from '../worker-deps.js';
import type { Lane } from '../lanes.js';

/** How often it is seen who is due, in milliseconds. With `atOnce` a thousand sellers have their turn in six minutes. */
const everyMs = 10_000;
/** How many sellers of a tenant are asked in one visit, so that a thousand that are due together are no burst. */
const atOnce = 32;
/** How long one question keeps others off its seller, in milliseconds: longer than it takes. */
const leaseMs = 60_000;

export function capabilitiesLane(deps: WorkerDeps): Lane {
  return {
    name: 'capabilities',
    everyMs,
    waitsFor: 'sellers',
    due: () => ({ capabilities: deps.ports.clock.now() }),
    visit: async (scope) => {
      await refreshCapabilities(deps, scope);
    },
  };
}

/**
 * Asks live sellers again what they can do when what we know has aged, those that are due longest first. A seller that
 * does not answer keeps what it said before, since whether it is up is the breaker's business, and is asked again after
 * a pause that grows: it takes nobody's turn. How many were asked.
 */
export async function refreshCapabilities(deps: WorkerDeps, scope: TenantScope): Promise<number> {
  const now = deps.ports.clock.now();
  const aged = await deps.connections.takeAged(scope, now, now + leaseMs, atOnce);
  await Promise.all(aged.map((one) => refresh(deps, scope, one)));
  return aged.length;
}

async function refresh(
  { ports, connections, onUnexpected }: WorkerDeps,
  scope: TenantScope,
  { connection, failures }: AgedSeller,
): Promise<void> {
  try {
    const found = await inspectSeller(ports, scope, connection);
    const at = ports.clock.now();
    if (found.ok) await connections.saveCapabilities(scope, connection, found.value, at);
    else
      await connections.capabilitiesFailed(
        scope,
        connection,
        failures + 1,
        at + capabilitiesPauseMs(failures + 1),
      );
  } catch (error) {
    // Its lease runs out, and it is asked again.
    onUnexpected(error, `the capabilities of ${connection.slug}`);
  }
}
