import { capabilitiesPauseMs, type AgedSeller } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import { lookAtSeller } from '../../composition/sellers/look-at-seller.js';
import type { HandsParts } from '../worker-deps.js';
import type { Lane } from '../lanes.js';

/** How often it is seen who is due, in milliseconds. With `atOnce` a thousand sellers have their turn in six minutes. */
const everyMs = 10_000;
/** How many sellers of a tenant are asked in one visit, so that a thousand that are due together are no burst. */
const atOnce = 32;
/** How long one question keeps others off its seller, in milliseconds: longer than it takes. */
const leaseMs = 60_000;

export function capabilitiesLane(parts: HandsParts): Lane {
  return {
    name: 'capabilities',
    everyMs,
    waitsFor: 'sellers',
    due: () => ({ capabilities: parts.ports.clock.now() }),
    visit: async (scope) => {
      await refreshCapabilities(parts, scope);
    },
  };
}

/**
 * Asks live sellers again what they can do when what we know has aged, those that are due longest first. A seller that
 * does not answer keeps what it said before, since whether it is up is the breaker's business, and is asked again after
 * a pause that grows: it takes nobody's turn. How many were asked.
 */
export async function refreshCapabilities(parts: HandsParts, scope: TenantScope): Promise<number> {
  const now = parts.ports.clock.now();
  const aged = await parts.connections.takeAged(scope, now, now + leaseMs, atOnce);
  await Promise.all(aged.map((one) => refresh(parts, scope, one)));
  return aged.length;
}

async function refresh(
  { ports, connections, onUnexpected }: HandsParts,
  scope: TenantScope,
  { connection, failures }: AgedSeller,
): Promise<void> {
  try {
    const found = await lookAtSeller(ports, scope, connection);
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
