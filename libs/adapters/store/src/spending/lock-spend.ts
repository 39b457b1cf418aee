import type { TenantClient } from '../core/tenant-client.js';

/**
 * Takes the organization's turn until the end of the transaction. No other lock is waited for after it. What is done in
 * the turn may change sums, so the organization's limits are checked again within the hour.
 */
export function lockSpend(client: TenantClient): Promise<unknown> {
  return client.query({
    name: 'spend_lock',
    text: `with due as (insert into limit_check (organization_id) values ($1) on conflict do nothing)
           select pg_advisory_xact_lock(7273, hashtext($1::text))`,
    values: [client.organizationId],
  });
}
