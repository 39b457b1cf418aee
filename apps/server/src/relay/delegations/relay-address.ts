import type { LeaseSecrets } from '@switchyard/buys';
import type { ConnectionDirectory, SellerLanes } from '@switchyard/sellers';
import { err, ok, type Result } from '@switchyard/values';
import type { AdminFailure } from '../../platform/failure.js';
import { forAddress } from '../../keys/index.js';
import { laneTarget } from '../lane-target.js';
import { standingAddress } from '../standing-callback.js';

interface AddressDeps {
  readonly connections: Pick<ConnectionDirectory, 'bySlug'>;
  readonly lanes: SellerLanes;
  readonly lease: LeaseSecrets;
  readonly baseUrl: () => string;
}

interface RelayAddress {
  readonly relay_mcp_url: string | null;
  readonly relay_a2a_url: string | null;
  readonly seller_mcp_url: string | null;
  readonly seller_a2a_url: string | null;
  readonly callback_url: string | null;
}

/**
 * What a brand needs before it signs: the address to send to, to sign for, and for the seller's callbacks. An
 * address that the seller does not have is null. Over A2A the address to sign for is in the agent's card, which is
 * fetched.
 */
export async function relayAddress(
  deps: AddressDeps,
  organizationId: string,
  seller: string,
  principalId: string,
): Promise<Result<RelayAddress, AdminFailure>> {
  const scope = { organizationId };
  const connection = await deps.connections.bySlug(scope, seller);
  if (connection === undefined)
    return err({ code: 'NOT_FOUND', message: 'There is no seller with this name.' });
  const isMcp = connection.protocol === 'mcp';
  const signal = AbortSignal.timeout(10_000);
  const lane = isMcp ? undefined : await deps.lanes.lane(laneTarget({ principalId }, connection, {}), signal);
  if (lane?.ok === false) {
    return err({ code: 'UNAVAILABLE', message: "The seller's agent card cannot be read now." });
  }
  const use = { operationId: connection.id, purpose: forAddress };
  const leased = await deps.lease(scope, [connection], use);
  const keySecret = leased.ok ? leased.value.get(connection.id)?.keySecret : undefined;
  const base = deps.baseUrl();
  const relay = `${base}/relay/${encodeURIComponent(connection.slug)}`;
  return ok({
    relay_mcp_url: isMcp ? `${relay}/mcp` : null,
    relay_a2a_url: isMcp ? null : `${relay}/a2a`,
    seller_mcp_url: isMcp ? connection.agentUrl : null,
    seller_a2a_url: lane?.ok === true ? lane.value.url : null,
    callback_url:
      keySecret === undefined ? null : `${base}/webhooks/${standingAddress(keySecret, principalId)}`,
  });
}
