import type { Store } from './open-store.js';
import type { TenantClient } from './tenant-client.js';

/**
 * The store inside a transaction that has begun: what its repositories write is part of that, and its end is the end of
 * all. After a failure nothing more is tried, because PostgreSQL takes nothing more in it: whoever began it is told of the
 * first one, also by a repository that would try again.
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
