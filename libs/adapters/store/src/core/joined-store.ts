import type { Store } from './open-store.js';
import type { TenantClient } from './tenant-client.js';

/**
 * The store inside an open transaction: what its repositories write is part of that transaction, and ends with it.
 * After a failure nothing more is sent, because PostgreSQL accepts nothing more: the owner of the transaction gets the
 * first error, even if a repository would retry.
 */
export function joinedStore(store: Store, client: TenantClient): Store {
  const joined: TenantClient = {
    ...client,
    lastQuery: (statement) => client.query(statement),
  };
  let failure: { readonly error: unknown } | undefined;
  return {
    ...store,
    inTenant: async ({ organizationId }, work) => {
      if (organizationId !== client.organizationId)
        throw new TypeError("The transaction is another tenant's.");
      if (failure !== undefined) throw failure.error;
      try {
        return await work(joined);
      } catch (error) {
        failure = { error };
        throw error;
      }
    },
  };
}
