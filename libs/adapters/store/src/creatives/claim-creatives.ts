import type { CreativeDraft } from '@switchyard/buys';
import { storableText } from '../core/storable.js';
import type { TenantClient } from '../core/tenant-client.js';

/**
 * Keeps everybody else from putting these creatives into the same accounts until this transaction has ended, and says
 * whether another tenant has one of them there already. The rows that the transaction then writes are the claim: the
 * next one finds them, whether or not the seller has answered.
 */
export async function claimCreatives(
  client: TenantClient,
  placements: CreativeDraft['placements'],
): Promise<{ readonly creativeId: string; readonly seller: string } | undefined> {
  if (placements.length === 0) return undefined;
  const text = 'select connection_id, creative_id from claim_creatives($1::uuid[], $2::text[])';
  const { rows } = await client.query<{ connection_id: string; creative_id: string }>(text, [
    placements.map(({ connectionId }) => connectionId),
    placements.map(({ creativeId }) => storableText(creativeId)),
  ]);
  const taken = placements.find((one) =>
    rows.some(
      (row) => row.connection_id === one.connectionId && row.creative_id === storableText(one.creativeId),
    ),
  );
  return taken === undefined ? undefined : { creativeId: taken.creativeId, seller: taken.seller };
}
