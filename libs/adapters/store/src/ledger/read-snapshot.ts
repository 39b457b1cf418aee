import type { TenantScope } from '@switchyard/tenancy';
import { run } from '../core/tenant-transaction.js';
import type { Store } from '../core/open-store.js';
import type { TenantClient } from '../core/tenant-client.js';

/**
 * Runs one read-only transaction of one tenant in which all statements see the same snapshot, so that concurrent writes
 * do not look like damage. It may read everything, so the role's limits on statement time and idle time do not apply.
 */
export async function readSnapshot<T>(
  store: Pick<Store, 'pool'>,
  { organizationId }: TenantScope,
  work: (client: TenantClient) => Promise<T>,
): Promise<T> {
  const connection = await store.pool.connect();
  let broken: Error | undefined;
  try {
    await connection.query('begin isolation level repeatable read read only');
    await connection.query(
      `select set_config('switchyard.organization_id', $1, true), set_config('statement_timeout', '0', true),
              set_config('idle_in_transaction_session_timeout', '0', true)`,
      [organizationId],
    );
    return await work({
      organizationId,
      query: (statement, values) => run(connection, statement, values),
      // A read-only transaction needs no commit: it is rolled back.
      lastQuery: (statement) => run(connection, statement),
      alarmRaised: () => undefined,
    });
  } finally {
    await connection.query('rollback').catch((failure: unknown) => {
      broken = failure instanceof Error ? failure : new Error('The rollback failed.');
    });
    connection.release(broken);
  }
}
