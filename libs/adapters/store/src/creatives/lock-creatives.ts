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
