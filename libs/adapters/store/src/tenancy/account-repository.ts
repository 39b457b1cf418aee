import type { AccountRecord, AccountRepository } from '@switchyard/tenancy';
import type { Store } from '../core/open-store.js';
import type { TenantSession } from '../core/tenant-client.js';
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
        const closed = await client.models.principal_account.updateManyAndReturn({
          where: { principal_id: principalId, id: { in: [...close] }, closed_at: null, hold: null },
          data: { closed_at: new Date(at) },
          select: { id: true },
        });
        for (const { id: accountId } of closed)
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
        const held = { hold: to ?? null, hold_reason: reason, held_at: new Date(at) };
        const [changed] = await client.models.principal_account.updateManyAndReturn({
          where: {
            ...{ id: accountId, closed_at: null, hold: from ?? null },
            ...(onlyIfReason !== undefined && { hold_reason: onlyIfReason }),
          },
          data: to === undefined ? { hold: null, hold_reason: null, held_at: null } : held,
          select: { principal_id: true },
        });
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

async function accountsOf({ models }: TenantSession, principalId: string): Promise<readonly AccountRecord[]> {
  const rows = await models.principal_account.findMany({
    where: { principal_id: principalId },
    orderBy: [{ created_at: 'asc' }, { id: 'asc' }],
  });
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
