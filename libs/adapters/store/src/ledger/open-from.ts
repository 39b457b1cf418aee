import { daysOfPeriod } from '@switchyard/ledger';
import type { TenantClient } from '../core/tenant-client.js';

/**
 * The first open day, `YYYY-MM-DD`; absent if no period was closed. Periods close in order, so everything before the
 * newest closed one is closed too.
 */
export async function openFrom(client: TenantClient): Promise<string | undefined> {
  const { rows } = await client.query<{ period: string }>({
    name: 'newest_closed_period',
    text: `select period from accounting_period where organization_id = $1 and state = 'closed'
           order by period desc limit 1`,
    values: [client.organizationId],
  });
  return rows[0] === undefined ? undefined : daysOfPeriod(rows[0].period).to;
}
