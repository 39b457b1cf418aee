import { activateSignal } from '@switchyard/protocol';
import type { RelayFaultCode, SealedCall } from '@switchyard/relay';
import type { Connection } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import type { RelayDeps } from './relay-deps.js';

/**
 * Why a request is refused because it affects another tenant that may share the account at the seller: that tenant uses
 * the signal (docs/decisions/tenants-on-one-account.md). An unsealed request would only be recorded here as
 * deactivated; signed bytes are either sent or refused.
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
