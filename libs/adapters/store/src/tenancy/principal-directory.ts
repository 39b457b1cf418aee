import type {
  DeclaredAccount,
  Enrolment,
  PrincipalDirectory,
  PrincipalRecord,
  TenantScope,
} from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import { run } from '../core/tenant-transaction.js';
import { unlessDuplicate } from '../core/is-duplicate.js';
import type { Store } from '../core/open-store.js';
import type { principal_accountModel } from '../generated/models.js';
import { recordHolder } from './one-person.js';
import { signerRow } from '../signing/signer-directory.js';
import { grantRow } from './grant-directory.js';
import { identityRow } from './identity-directory.js';
import {
  accountOf,
  matchOf,
  principalOf,
  principalRow,
  recordOf,
  tokenOf,
  rolesOf,
  tokenRow,
  type HolderRow,
  type MatchRow,
} from './principal-row.js';

/** Principals, their tokens and their accounts. */
export function principalDirectory(store: Store): PrincipalDirectory {
  return {
    findByTokenHash: async (hash) => {
      const found = await run<MatchRow>(store.pool, {
        name: 'token_holder',
        text: 'select * from token_holder($1)',
        values: [hash],
      });
      return found.rows.map((row) => matchOf(row, hash))[0];
    },
    find: async (scope, id) => (await findOne(store, scope, 'p.id = $1', id))?.principal,
    findByName: async (scope, name) => (await findOne(store, scope, 'p.name = $1', name))?.principal,
    list: async (scope) => (await everybody(store, scope)).map(principalOf),
    record: (scope, by) =>
      'id' in by ? findOne(store, scope, 'p.id = $1', by.id) : findOne(store, scope, 'p.name = $1', by.name),
    names: (scope, ids) =>
      store.inTenantModels(scope, async ({ principal }) => {
        const where = { id: { in: [...new Set(ids)] } };
        const rows = await principal.findMany({ where, select: { id: true, name: true } });
        return new Map(rows.map(({ id, name }) => [id, name]));
      }),
    create: (scope, principal, at) => enrol(store, scope, { principal }, at),
    enrol: (scope, enrolment, at) => enrol(store, scope, enrolment, at),
    disable: (scope, id, at) =>
      store.inTenantModels(scope, async ({ principal, scim_user }) => {
        // A directory may have switched the person off before: it does not switch on again whom an admin has revoked.
        const byDirectory = { principal_id: id, switched_off_at: { not: null } };
        await scim_user.updateMany({ where: byDirectory, data: { switched_off_at: null } });
        const where = { id, disabled_at: null };
        return (await principal.updateMany({ where, data: { disabled_at: new Date(at) } })).count > 0;
      }),
    issueToken: (scope, token, heldBy) =>
      store.inTenantModels(scope, async ({ principal, principal_token }) => {
        // A principal signs in every day: a new session or link deletes its expired ones.
        const expires_at = { lt: new Date(token.createdAt) };
        const scheme = { in: ['session', 'link'] };
        if (token.scheme === 'session' || token.scheme === 'link')
          await principal_token.deleteMany({
            where: { principal_id: token.principalId, scheme, expires_at },
          });
        await principal_token.create({ data: tokenRow(scope.organizationId, token) });
        await recordHolder(principal, token.principalId, heldBy);
      }),
    noteAuthentication: (scope, id, at) =>
      store.inTenantModels(scope, async ({ principal_token }) => {
        const where = { id, scheme: 'session' };
        await principal_token.updateMany({ where, data: { authenticated_at: new Date(at) } });
      }),
    settleFactor: (scope, principalId) =>
      store.inTenantModels(scope, async ({ principal_token }) => {
        const where = { principal_id: principalId, scheme: 'session', factor_due: true };
        await principal_token.updateMany({ where, data: { factor_due: false } });
      }),
    noteUse: (scope, id, at) =>
      store.inTenant(scope, async (client) => {
        await client.query(
          `update principal_token set last_used_at = $2
           where id = $1 and (last_used_at is null or last_used_at < $2::timestamptz - interval '1 minute')`,
          [id, new Date(at)],
        );
      }),
    tokens: (scope, principalId) =>
      store.inTenantModels(scope, async ({ principal_token }) => {
        const where = { revoked_at: null, ...(principalId !== undefined && { principal_id: principalId }) };
        const orderBy = [{ created_at: 'asc' }, { id: 'asc' }] as const;
        return (await principal_token.findMany({ where, orderBy: [...orderBy] })).map(tokenOf);
      }),
    replaceToken: (scope, token, { id, until, heldBy }) =>
      store.inTenantModels(scope, async ({ principal, principal_token }) => {
        const expires_at = new Date(until);
        const live = { id, revoked_at: null };
        await principal_token.updateMany({
          where: { ...live, expires_at: { gt: expires_at } },
          data: { expires_at },
        });
        if ((await principal_token.count({ where: live })) === 0) return false;
        await principal_token.create({ data: tokenRow(scope.organizationId, token) });
        await recordHolder(principal, token.principalId, heldBy);
        return true;
      }),
    revokeToken: (scope, id, at) =>
      store.inTenantModels(scope, async ({ principal_token }) => {
        const data = { revoked_at: new Date(at) };
        await principal_token.updateMany({ where: { opened_by: id, revoked_at: null }, data });
        return (await principal_token.updateMany({ where: { id, revoked_at: null }, data })).count > 0;
      }),
    accountsOf: async (scope, principalId) => {
      const { rows } = await store.onceInTenant<principal_accountModel>(scope, {
        name: 'principal_accounts',
        text: `select * from principal_account
               where organization_id = scope.organization_id and principal_id = $1 and closed_at is null
               order by created_at, id`,
        values: [principalId],
      });
      return rows.map(accountOf);
    },
    declareAccount: (scope, principalId, account, at) =>
      declareAccount(store, scope, { principalId, account, at }),
  };
}

async function enrol(store: Store, scope: TenantScope, enrolment: Enrolment, at: Instant): Promise<boolean> {
  const { principal, heldBy, token, signer, identity, grants = [] } = enrolment;
  return unlessDuplicate(() =>
    store.inTenantModels(scope, async (models) => {
      await models.principal.create({ data: principalRow(principal, new Date(at)) });
      await recordHolder(models.principal, principal.id, heldBy);
      if (token !== undefined)
        await models.principal_token.create({ data: tokenRow(scope.organizationId, token) });
      if (signer !== undefined)
        await models.principal_signer.create({ data: signerRow(scope.organizationId, signer) });
      if (identity !== undefined)
        await models.principal_identity.create({ data: identityRow(scope.organizationId, identity) });
      for (const grant of grants)
        await models.access_grant.create({ data: grantRow(scope.organizationId, grant) });
    }),
  );
}

function declareAccount(
  store: Store,
  scope: TenantScope,
  {
    principalId,
    account,
    at,
  }: { readonly principalId: string; readonly account: DeclaredAccount; readonly at: Instant },
): Promise<DeclaredAccount> {
  return store.inTenant(scope, async (client) => {
    // The update changes nothing; it makes the statement return the existing row.
    const { rows } = await client.query<principal_accountModel>(
      `insert into principal_account (id, organization_id, principal_id, brand_domain, brand_id, operator, created_at)
           values ($1, $2, $3, $4, $5, $6, $7)
           on conflict (organization_id, principal_id, brand_domain, brand_id, operator) where closed_at is null
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

/** `condition` is one of our constants. */
function findOne(
  store: Store,
  scope: TenantScope,
  condition: string,
  value: string,
): Promise<PrincipalRecord | undefined> {
  return store.inTenant(scope, async (client) => {
    const { rows } = await client.query<HolderRow>(
      `select p.*, ${rolesOf} from principal p where ${condition}`,
      [value],
    );
    return rows.map(recordOf)[0];
  });
}

function everybody(store: Store, scope: TenantScope): Promise<readonly HolderRow[]> {
  return store.inTenant(scope, async (client) => {
    const { rows } = await client.query<HolderRow>(`select p.*, ${rolesOf} from principal p order by p.name`);
    return rows;
  });
}
