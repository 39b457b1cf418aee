import type { WrappedKey } from '@switchyard/vault';
import type { Store } from '../core/open-store.js';
import { tenantsOf } from '../core/tenants-of.js';

/** What one organization has sealed under one master key. */
export interface SealedUnder {
  readonly organizationId: string;
  readonly keyId: WrappedKey['keyId'];
  /** Versions of credentials, revoked ones too. */
  readonly credentials: number;
  /** The checkpoint of its ledger: 0 or 1. */
  readonly checkpoints: number;
}

/** Counts what is sealed under each master key, one organization after the other, within their own scope. */
export async function sealedUnder(store: Store): Promise<readonly SealedUnder[]> {
  const found: SealedUnder[] = [];
  for (const organizationId of await tenantsOf(store, 'organization_ids')) {
    const { rows } = await store.onceInTenant<{ key_id: string; credentials: string; checkpoints: string }>(
      { organizationId },
      {
        text: `select key_id, sum(credentials) as credentials, sum(checkpoints) as checkpoints from (
            select kms_key_id as key_id, count(*) as credentials, 0 as checkpoints from credential
            where organization_id = scope.organization_id group by kms_key_id
            union all
            select key_id, 0, count(*) from journal_checkpoint
            where organization_id = scope.organization_id group by key_id) as sealed
          group by key_id order by key_id`,
        values: [],
      },
    );
    for (const { key_id: keyId, credentials, checkpoints } of rows)
      found.push({
        organizationId,
        keyId,
        credentials: Number(credentials),
        checkpoints: Number(checkpoints),
      });
  }
  return found;
}
