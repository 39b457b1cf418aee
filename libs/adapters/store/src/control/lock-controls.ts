import type { TenantClient } from '../core/tenant-client.js';
import { takeTurn } from '../core/take-turns.js';

/** Changes of an organization's controls take turns, so that each is judged on what the one before it has left. */
export async function lockControls(client: TenantClient): Promise<void> {
  await takeTurn(client, 'control');
}
