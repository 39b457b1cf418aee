import type { AccountRecord, AccountRepository } from '@switchyard/tenancy';
import type { Store } from '../core/open-store.js';
import type { TenantClient } from '../core/tenant-client.js';
import type { principal_accountModel } from '../generated/models.js';
import { tellOfAccount } from '../outbox/subscribers.js';
import { accountOf } from './principal-row.js';

/** Accounts that principals have declared, open and closed. */
export function accountRepository(store: Store): AccountRepository {
  return {
    accounts: (scope, principalId) => store.inTenant(scope, (client) => accountsOf(client, principalId)),
    liveBuys: (scope, principalId) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<{ account: string; buys: string[] }>(live, [principalId]);
        return new Map(rows.map(({ account, buys }) => [account, buys]));
      }),
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
        const closed = await client.query<{ id: string }>(
          `update principal_account set closed_at = $3
           where principal_id = $1 and id = any($2::uuid[]) and closed_at is null and hold is null returning id`,
          [principalId, [...close], new Date(at)],
        );
        for (const { id: accountId } of closed.rows)
          await tellOfAccount(
            client,
            principalId,
            { accountId, from: 'active', to: 'closed', reason: 'buyer_requested' },
            at,
          );
        return accountsOf(client, principalId);
      }),
    hold: (scope, accountId, { from, to, reason, onlyIfReason }, at) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<{ principal_id: string }>(
          `update principal_account
             set hold = $2, hold_reason = case when $2::text is null then null else $3 end,
                 held_at = case when $2::text is null then null else $4::timestamptz end
           where id = $1 and closed_at is null and hold is not distinct from $5::text
             and ($6::text is null or hold_reason = $6)
           returning principal_id`,
          [accountId, to ?? null, reason, new Date(at), from ?? null, onlyIfReason ?? null],
        );
        const [changed] = rows;
        if (changed === undefined) return false;
        await tellOfAccount(
          client,
          changed.principal_id,
          {
            accountId,
            from: from ?? 'active',
            to: to ?? 'active',
            reason: to === 'payment_required' ? 'payment_required' : 'manual_update',
          },
          at,
        );
        return true;
      }),
  };
}

/** The condition on the status is that of a partial index: ended buys are not read. */
const live = `select a.id as account, array_agg(b.id order by b.created_at, b.id) as buys
  from principal_account a join media_buy b on b.principal_id = a.principal_id
    and lower(b.operator) = a.operator and lower(b.brand->>'domain') = a.brand_domain
    and coalesce(b.brand->>'brand_id', '') = a.brand_id
  where a.principal_id = $1 and a.closed_at is null and b.status not in ('completed', 'rejected', 'canceled') group by a.id`;

async function accountsOf(client: TenantClient, principalId: string): Promise<readonly AccountRecord[]> {
  const { rows } = await client.query<principal_accountModel>(
    'select * from principal_account where principal_id = $1 order by created_at, id',
    [principalId],
  );
  return rows.map(recordOf);
}

function recordOf(row: principal_accountModel): AccountRecord {
  return {
    ...accountOf(row),
    isSandbox: row.is_sandbox,
    createdAt: row.created_at.getTime(),
    ...(row.closed_at === null ? {} : { closedAt: row.closed_at.getTime() }),
  };
}
