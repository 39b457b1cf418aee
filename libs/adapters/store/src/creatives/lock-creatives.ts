import type { CreativeDraft } from '@switchyard/buys';
import { storableText } from '../core/storable.js';
import type { TenantClient } from '../core/tenant-client.js';

/**
 * Locks creatives of the library until the end of the transaction, in one order, before any of their rows are written.
 * Every writer of creatives starts here, so two of them cannot deadlock.
 */
export async function lockCreatives(client: TenantClient, creativeIds: readonly string[]): Promise<void> {
  if (creativeIds.length === 0) return;
  const ids = [...new Set(creativeIds)].map(storableText);
  await client.query('select id from creative where creative_id = any($1) order by creative_id for update', [
    ids,
  ]);
}

/**
 * Prevents other transactions from adding these creatives to the same accounts until this one ends, and returns the one
 * that another tenant's id blocks. The rows that the transaction then writes are the claim: the next transaction finds
 * them, even before the seller has answered. The id that counts is the seller's id of a creative; an existing placement
 * keeps its id.
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
  const taken = placements.find((placement) =>
    rows.some(
      (row) =>
        row.connection_id === placement.connectionId &&
        row.creative_id === storableText(placement.creativeId),
    ),
  );
  return taken === undefined ? undefined : { creativeId: taken.creativeId, seller: taken.seller };
}
