import type { TenantClient } from '../core/tenant-client.js';

/** Changes of an organization's controls take turns, so that each is judged on what the one before it has left. */
export async function lockControls(client: TenantClient): Promise<void> {
  await client.query('select pg_advisory_xact_lock(7282, hashtext($1))', [client.organizationId]);
}
