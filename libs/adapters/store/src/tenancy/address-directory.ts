import type { AddressDirectory } from '@switchyard/tenancy';
import { run } from '../core/tenant-transaction.js';
import type { Store } from '../core/open-store.js';

/** Proved e-mail addresses in PostgreSQL. */
export function addressDirectory(store: Store): AddressDirectory {
  return {
    holders: async (email) => {
      const found = await run<{ organization_id: string; principal_id: string }>(store.pool, {
        name: 'address_holders',
        text: 'select * from address_holders($1)',
        values: [email],
      });
      return found.rows.map((row) => ({
        organizationId: row.organization_id,
        principalId: row.principal_id,
      }));
    },
    owners: async (domains) => {
      const found = await run<{ organization_id: string; domain: string }>(store.pool, {
        name: 'domain_owners',
        text: 'select * from domain_owners($1)',
        values: [[...domains]],
      });
      return found.rows.map(({ organization_id, domain }) => ({ organizationId: organization_id, domain }));
    },
    prove: (scope, { principalId, email, by, at }) =>
      store.inTenantModels(scope, async ({ proved_address }) => {
        await proved_address.createMany({
          data: provedRow(scope.organizationId, { principalId, email, by, at }),
          skipDuplicates: true,
        });
      }),
    forget: (scope, principalId) =>
      store.inTenantModels(scope, async ({ proved_address }) => {
        await proved_address.deleteMany({ where: { principal_id: principalId } });
      }),
  };
}

/** A proof as a new row. */
export function provedRow(
  organizationId: string,
  { principalId, email, by, at }: Parameters<AddressDirectory['prove']>[1],
) {
  return {
    organization_id: organizationId,
    principal_id: principalId,
    email,
    proved_by: by,
    proved_at: new Date(at),
  };
}
