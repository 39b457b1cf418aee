import type { Instant } from '@switchyard/values';
import type { Store } from './open-store.js';
import { run } from './tenant-transaction.js';

/** Functions of the database that find organizations for a worker, which has no tenant yet. */
const finders = {
  organization_ids: 'organization_ids()',
  organizations_to_remove: 'organizations_to_remove()',
  organizations_with_limit_checks: 'organizations_with_limit_checks()',
  organizations_with_old_answers: 'organizations_with_old_answers($1)',
  organizations_with_old_changes: 'organizations_with_old_changes($1)',
  tenants_with_draining_sellers: 'tenants_with_draining_sellers()',
  tenants_with_due_cases: 'tenants_with_due_cases($1)',
  tenants_with_slow_sellers: 'tenants_with_slow_sellers($1)',
};

/** The ids of the organizations that one of these functions finds, at a time if it takes one. */
export async function tenantsOf(
  { pool }: Pick<Store, 'pool'>,
  finder: keyof typeof finders,
  at?: Instant,
): Promise<readonly string[]> {
  const { rows } = await run<{ id: string }>(pool, {
    name: finder,
    text: `select ${finders[finder]} as id`,
    values: at === undefined ? [] : [new Date(at)],
  });
  return rows.map(({ id }) => id);
}
