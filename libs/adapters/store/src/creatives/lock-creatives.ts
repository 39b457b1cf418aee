import { storableText } from '../core/storable.js';
import type { TenantClient } from '../core/tenant-client.js';

/**
 * Takes creatives of the library for the rest of the transaction, in one order, before anything that hangs on them is
 * written. Whoever writes of creatives begins here: of two that write of the same, one waits for the other, and never
 * both for each other.
 */
export async function lockCreatives(client: TenantClient, creativeIds: readonly string[]): Promise<void> {
  if (creativeIds.length === 0) return;
  const ids = [...new Set(creativeIds)].map(storableText);
  await client.query('select id from creative where creative_id = any($1) order by creative_id for update', [
    ids,
  ]);
}
