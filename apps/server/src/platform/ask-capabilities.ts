import type { LeaseSecrets } from '@switchyard/buys';
import type { AskCapabilities, ConnectionDirectory, SellerTransport } from '@switchyard/sellers';
import { err, ok, type Clock } from '@switchyard/values';
import { lookAtSeller } from './look-at-seller.js';

export interface AskCapabilitiesParts {
  readonly connections: Pick<ConnectionDirectory, 'byId'>;
  readonly lease: LeaseSecrets;
  readonly transport: SellerTransport;
  readonly clock: Clock;
}

/**
 * Asks a seller what it is over its own protocol, for whoever looks for its keys. A seller that answers something is
 * reached, whatever it answers: what it does not say is missed by the steps that follow.
 */
export function capabilitiesAsker(parts: AskCapabilitiesParts): AskCapabilities {
  return async ({ id, organizationId }) => {
    if (id === undefined || organizationId === undefined) return ok(undefined);
    const scope = { organizationId };
    const connection = await parts.connections.byId(scope, id);
    if (connection === undefined) return ok(undefined);
    const found = await lookAtSeller(parts, scope, connection);
    if (found.ok) return ok(found.value.capabilities);
    const { code, httpStatus, egress } = found.error;
    if (code === 'sells_nothing') return ok(undefined);
    return err({ code: egress ?? code, ...(httpStatus === undefined ? {} : { status: httpStatus }) });
  };
}
