import { activateSignal } from '@switchyard/protocol';
import type { RelayFaultCode, SealedCall } from '@switchyard/relay';
import type { Connection } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import type { RelayDeps } from './relay-deps.js';

/**
 * What a request would take from another tenant that may share the account at the seller: a signal that it uses
 * (docs/decisions/tenants-on-one-account.md). Unsealed, it would be taken back in our books alone; bytes that are
 * signed go out or stay here.
 */
export async function othersFault(
  { activations }: Pick<RelayDeps, 'activations'>,
  scope: TenantScope,
  { id: connectionId }: Connection,
  { spec, args }: SealedCall,
): Promise<RelayFaultCode | undefined> {
  if (spec.name !== activateSignal.name || args['action'] !== 'deactivate') return undefined;
  const segmentId = args['signal_agent_segment_id'];
  if (typeof segmentId !== 'string') return undefined;
  const others = await activations.elsewhere(scope, [{ connectionId, segmentId }]);
  return others.length > 0 ? 'RELAY_SIGNAL_IN_USE' : undefined;
}
