import type { BillingRepository } from '@switchyard/buys';
import type { Store } from '../core/open-store.js';
import type { off_protocol_billingModel } from '../generated/models.js';

/** Spend that vendors bill outside the protocol, in `off_protocol_billing`. */
export function billingRepository(store: Store): BillingRepository {
  return {
    billedElsewhere: (scope) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<off_protocol_billingModel>('SELECT * FROM off_protocol_billing');
        return rows.map((row) => ({
          connectionId: row.connection_id,
          brandDomain: row.brand_domain,
          brandId: row.brand_id,
          operator: row.operator,
        }));
      }),
    markBilledElsewhere: (scope, marks, at) =>
      store.inTenant(scope, async (client) => {
        for (const mark of marks)
          await client.query(
            `INSERT INTO off_protocol_billing (organization_id, connection_id, brand_domain, brand_id, operator, found_at)
             VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
            [
              scope.organizationId,
              mark.connectionId,
              mark.brandDomain,
              mark.brandId,
              mark.operator,
              new Date(at),
            ],
          );
      }),
  };
}
