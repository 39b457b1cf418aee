import { Buffer } from 'node:buffer';
import type { DeclaredAccount, Principal, PrincipalDirectory, TokenMatch } from '@switchyard/tenancy';
import { readPermissions } from '@switchyard/tenancy';
import { run } from '../core/in-tenant.js';
import { isDuplicate } from '../core/is-duplicate.js';
import type { Store } from '../core/open-store.js';
import { present } from '../core/present.js';
import type { Prisma } from '../generated/client.js';
import type { principal_accountModel, principalModel } from '../generated/models.js';

interface MatchRow extends principalModel {
  readonly token_id: string;
  readonly label: string;
  readonly token_created_at: Date;
  readonly expires_at: Date;
  readonly revoked_at: Date | null;
}

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
    find: (scope, id) =>
      store.inTenantModels(scope, async ({ principal }) =>
        principalOrNothing(await principal.findUnique({ where: { id } })),
      ),
    findByName: (scope, name) =>
      store.inTenantModels(scope, async ({ principal }) =>
        principalOrNothing(await principal.findFirst({ where: { name } })),
      ),
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
    mintToken: (scope, token) =>
      store.inTenantModels(scope, async ({ principal_token }) => {
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
      }),
    revokeToken: (scope, id, at) =>
      store.inTenantModels(scope, async ({ principal_token }) => {
        const where = { id, revoked_at: null };
        return (await principal_token.updateMany({ where, data: { revoked_at: new Date(at) } })).count > 0;
      }),
    accountsOf: (scope, principalId) =>
      store.inTenantModels(scope, async ({ principal_account }) => {
        const where = { principal_id: principalId };
        return (
          await principal_account.findMany({ where, orderBy: [{ created_at: 'asc' }, { id: 'asc' }] })
        ).map(accountOf);
      }),
    declareAccount: (scope, principalId, account, at) =>
      store.inTenant(scope, async (client) => {
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
      }),
  };
}

function matchOf(row: MatchRow, hash: Buffer): TokenMatch {
  return {
    principal: principalOf(row),
    token: {
      id: row.token_id,
      principalId: row.id,
      hash,
      label: row.label,
      createdAt: row.token_created_at.getTime(),
      expiresAt: row.expires_at.getTime(),
      ...present({ revokedAt: row.revoked_at?.getTime() }),
    },
    ...present({ disabledAt: row.disabled_at?.getTime() }),
  };
}

function principalOrNothing(row: principalModel | null): Principal | undefined {
  return row === null ? undefined : principalOf(row);
}

function principalOf(row: principalModel): Principal {
  return {
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    kind: row.kind as Principal['kind'],
    permissions: readPermissions(row.permissions),
    transitional: row.transitional,
    legacy: row.legacy,
  };
}

function principalRow(principal: Principal, at: Date): Prisma.principalCreateInput {
  return {
    id: principal.id,
    organization_id: principal.organizationId,
    name: principal.name,
    kind: principal.kind,
    permissions: principal.permissions,
    transitional: principal.transitional,
    legacy: principal.legacy,
    created_at: at,
  };
}

function accountOf(row: principal_accountModel): DeclaredAccount {
  return { id: row.id, brandDomain: row.brand_domain, brandId: row.brand_id, operator: row.operator };
}
