import type { Reach } from '@switchyard/tenancy';
import type { TenantClient } from '../core/tenant-client.js';

/** A reach as the first five values of a statement: everything, clients, brands, campaigns, principal. */
export function reachValues(reach: Reach): readonly unknown[] {
  if (reach.kind === 'everything') return [true, [], [], [], null];
  return [false, reach.clientIds, reach.brandDomains, reach.campaignIds, reach.principalId ?? null];
}

/** Writes a row unless its name is taken. Writers of one organization take turns. */
export async function unlessTaken(
  client: TenantClient,
  taken: string,
  values: readonly unknown[],
  statement: { readonly text: string; readonly values: readonly unknown[] },
): Promise<'stored' | 'taken'> {
  await client.query('select pg_advisory_xact_lock(7281, hashtext($1))', [client.organizationId]);
  if ((await client.query(taken, values)).rowCount > 0) return 'taken';
  await client.query(statement.text, statement.values);
  return 'stored';
}
