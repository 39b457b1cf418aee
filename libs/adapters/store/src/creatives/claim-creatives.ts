import type { CreativeDraft } from '@switchyard/buys';
import { storableText } from '../core/storable.js';
import type { TenantClient } from '../core/tenant-client.js';

/**
 * Keeps everybody else from putting these creatives into the same accounts until this transaction has ended, and says
 * which of them cannot be there as it is planned: another tenant has its id. The rows that the transaction then writes
 * are the claim: the next one finds them, whether or not the seller has answered. What counts is the id that the seller
 * is to know a creative by; one that stands there already keeps the id that it has.
 */
export async function claimCreatives(
  client: TenantClient,
  placements: CreativeDraft['placements'],
): Promise<{ readonly creativeId: string; readonly seller: string } | undefined> {
  if (placements.length === 0) return undefined;
  const text = 'select connection_id, creative_id from claim_creatives($1::uuid[], $2::text[], $3::text[])';
  const { rows } = await client.query<{ connection_id: string; creative_id: string }>(text, [
    placements.map(({ connectionId }) => connectionId),
    placements.map(({ creativeId }) => storableText(creativeId)),
    placements.map(({ creativeId, sellerCreativeId }) => storableText(sellerCreativeId ?? creativeId)),
  ]);
  const taken = placements.find((one) =>
    rows.some(
      (row) => row.connection_id === one.connectionId && row.creative_id === storableText(one.creativeId),
    ),
  );
  return taken === undefined ? undefined : { creativeId: taken.creativeId, seller: taken.seller };
}
