import { Buffer } from 'node:buffer';
import type {
  DeclaredAccount,
  Principal,
  PrincipalDirectory,
  TenantScope,
  TokenRecord,
} from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import { run } from '../core/in-tenant.js';
import { isDuplicate } from '../core/is-duplicate.js';
import type { Store } from '../core/open-store.js';
import type { principal_accountModel, principalModel } from '../generated/models.js';
import { accountOf, matchOf, principalOf, principalRow, type MatchRow } from './principal-row.js';

/** Principals, their tokens and their accounts. */
export function principalDirectory(store: Store): PrincipalDirectory {
  return {
    findByTokenHash: async (hash) => {
      const found = await run<MatchRow>(store.pool, {
        name: 'principal_by_token_hash',
        text: 'select * from principal_by_token_hash($1)',
        values: [hash],
      });
      return found.rows.map((row) => matchOf(row, hash))[0];
    },
    find: (scope, id) => findOne(store, scope, 'id = $1', id),
    findByName: (scope, name) => findOne(store, scope, 'name = $1', name),
    list: (scope) =>
      store.inTenantModels(scope, async ({ principal }) =>
        (await principal.findMany({ orderBy: { name: 'asc' } })).map(principalOf),
      ),
    create: async (scope, principal, at) => {
      try {
        await store.inTenantModels(scope, (models) =>
          models.principal.create({ data: principalRow(principal, new Date(at)) }),
        );
        return true;
      } catch (error) {
        if (isDuplicate(error)) return false;
        throw error;
      }
    },
    mintToken: (scope, token) => mintToken(store, scope, token),
    revokeToken: (scope, id, at) =>
      store.inTenantModels(scope, async ({ principal_token }) => {
        const where = { id, revoked_at: null };
        return (await principal_token.updateMany({ where, data: { revoked_at: new Date(at) } })).count > 0;
      }),
    accountsOf: (scope, principalId) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<principal_accountModel>({
          name: 'principal_accounts',
          text: 'select * from principal_account where principal_id = $1 order by created_at, id',
          values: [principalId],
        });
        return rows.map(accountOf);
      }),
    declareAccount: (scope, principalId, account, at) =>
      declareAccount(store, scope, principalId, account, at),
  };
}

function mintToken(store: Store, scope: TenantScope, token: TokenRecord): Promise<void> {
  return store.inTenantModels(scope, async ({ principal_token }) => {
    await principal_token.create({
      data: {
        id: token.id,
        organization_id: scope.organizationId,
        principal_id: token.principalId,
        token_hash: Buffer.from(token.hash),
        label: token.label,
        created_at: new Date(token.createdAt),
        expires_at: new Date(token.expiresAt),
        revoked_at: token.revokedAt === undefined ? null : new Date(token.revokedAt),
      },
    });
  });
}

function declareAccount(
  store: Store,
  scope: TenantScope,
  principalId: string,
  account: DeclaredAccount,
  at: Instant,
): Promise<DeclaredAccount> {
  return store.inTenant(scope, async (client) => {
    // The update changes nothing; it makes the statement answer the row that was there first.
    const { rows } = await client.query<principal_accountModel>(
      `insert into principal_account (id, organization_id, principal_id, brand_domain, brand_id, operator, created_at)
           values ($1, $2, $3, $4, $5, $6, $7)
           on conflict (organization_id, principal_id, brand_domain, brand_id, operator)
             do update set operator = excluded.operator
           returning *`,
      [
        account.id,
        scope.organizationId,
        principalId,
        account.brandDomain,
        account.brandId,
        account.operator,
        new Date(at),
      ],
    );
    const [row] = rows;
    if (row === undefined) throw new Error('An insert that answers its row answered none.');
    return accountOf(row);
  });
}

/** `condition` is a constant of ours. */
function findOne(
  store: Store,
  scope: TenantScope,
  condition: string,
  value: string,
): Promise<Principal | undefined> {
  return store.inTenant(scope, async (client) => {
    const { rows } = await client.query<principalModel>(`select * from principal where ${condition}`, [
      value,
    ]);
    return rows.map(principalOf)[0];
  });
}
