import { targetOf, type LeaseSecrets } from '@switchyard/buys';
import {
  probeSeller,
  type Connection,
  type DiscoveredSeller,
  type ProbeFailure,
  type SellerTransport,
} from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import type { Clock, Result } from '@switchyard/values';

/** How long a seller may take to introduce itself. */
const lookMs = 10_000;

/** Asks a seller, with our credential there, what it is and what it offers. Changes nothing. */
export async function lookAtSeller(
  parts: { readonly lease: LeaseSecrets; readonly transport: SellerTransport; readonly clock: Clock },
  scope: TenantScope,
  connection: Connection,
): Promise<Result<DiscoveredSeller, ProbeFailure>> {
  const secrets = await parts.lease(scope, [connection], { operationId: connection.id, purpose: 'probe' });
  const credential = secrets.ok ? secrets.value.get(connection.id)?.credential : undefined;
  const stop = new AbortController();
  const cancel = parts.clock.after(lookMs, () => stop.abort());
  return probeSeller(
    parts.transport,
    targetOf(connection, credential),
    connection.configuredForm,
    stop.signal,
  ).finally(cancel);
}
