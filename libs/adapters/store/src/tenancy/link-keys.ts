import type { TenantScope } from '@switchyard/tenancy';
import type { Store } from '../core/open-store.js';

/** Which credential holds the key of an organization's mailed links. */
export interface LinkKeys {
  find(scope: TenantScope): Promise<string | undefined>;
  /** Stores a credential unless there is one. Returns the one that is stored. */
  keep(scope: TenantScope, credentialId: string): Promise<string>;
}

export function linkKeys(store: Store): LinkKeys {
  const find = (scope: TenantScope): Promise<string | undefined> =>
    store.inTenantModels(scope, async ({ link_key }) => {
      const row = await link_key.findFirst({ where: { organization_id: scope.organizationId } });
      return row?.credential_id;
    });
  return {
    find,
    keep: async (scope, credentialId) => {
      await store.inTenantModels(scope, ({ link_key }) =>
        link_key.createMany({
          data: { organization_id: scope.organizationId, credential_id: credentialId },
          skipDuplicates: true,
        }),
      );
      return (await find(scope)) ?? credentialId;
    },
  };
}
