import type { AccountBook, AccountRecord } from '@switchyard/tenancy';
import type { Store } from '../core/open-store.js';
import type { TenantClient } from '../core/tenant-client.js';
import type { principal_accountModel } from '../generated/models.js';
import { accountOf } from './principal-row.js';

/** The accounts that principals have declared, open and closed. */
export function accountBook(store: Store): AccountBook {
  return {
    accounts: (scope, principalId) => store.inTenant(scope, (client) => accountsOf(client, principalId)),
    apply: (scope, principalId, { open, close }, at) =>
      store.inTenant(scope, async (client) => {
        for (const account of open)
          await client.query(
            `insert into principal_account
               (id, organization_id, principal_id, brand_domain, brand_id, operator, is_sandbox, created_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8)
             on conflict (organization_id, principal_id, brand_domain, brand_id, operator) where closed_at is null
               do nothing`,
            [
              account.id,
              scope.organizationId,
              principalId,
              account.brandDomain,
              account.brandId,
              account.operator,
              account.isSandbox,
              new Date(at),
            ],
          );
        await client.query(
          `update principal_account set closed_at = $3
           where principal_id = $1 and id = any($2::uuid[]) and closed_at is null`,
          [principalId, [...close], new Date(at)],
        );
        return accountsOf(client, principalId);
      }),
  };
}

async function accountsOf(client: TenantClient, principalId: string): Promise<readonly AccountRecord[]> {
  const { rows } = await client.query<principal_accountModel>(
    'select * from principal_account where principal_id = $1 order by created_at, id',
    [principalId],
  );
  return rows.map((row) => ({
    ...accountOf(row),
    isSandbox: row.is_sandbox,
    ...(row.closed_at === null ? {} : { closedAt: row.closed_at.getTime() }),
  }));
}
