import { capabilitiesFreshness } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import { lookAtSeller } from '../platform/look-at-seller.js';
import type { HandsParts } from './hands-parts.js';

/** How many sellers are looked at in one round, so that a thousand that went stale together are no burst. */
const atOnce = 8;

/**
 * Asks live sellers again what they can do when what we know has aged. A seller that does not answer now keeps what
 * it said before: whether it is up is the breaker's business.
 */
export async function refreshCapabilities(parts: HandsParts, scope: TenantScope): Promise<number> {
  const { clock } = parts.ports;
  const live = await parts.connections.list(scope, { state: 'live' });
  const aged = live
    .filter((connection) => capabilitiesFreshness(connection, clock.now()) !== 'fresh')
    .slice(0, atOnce);
  await Promise.all(
    aged.map(async (connection) => {
      const found = await lookAtSeller(parts.ports, scope, connection);
      if (found.ok) await parts.connections.saveCapabilities(scope, connection, found.value, clock.now());
    }),
  );
  return aged.length;
}
