import type { Connection } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import type { Store } from '../core/open-store.js';
import { connectionOf, type ConnectionRow } from './connection-row.js';

const stored = 5000;

/**
 * A cache of connections. Every read of the market needs them, and most of a row is the seller's description of itself.
 * So ids and row versions are read from the database, and only changed rows are read and parsed again. Nothing is ever
 * stale: every update changes `xmin`.
 */
export class CachedConnections {
  readonly #store: Store;
  readonly #known = new Map<string, { readonly version: string; readonly connection: Connection }>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** By slug. `condition` is one of our constants, with the placeholders of `values`. */
  async find(
    scope: TenantScope,
    condition: string,
    values: readonly unknown[],
  ): Promise<readonly Connection[]> {
    const { rows } = await this.#store.onceInTenant<{ id: string; version: string }>(scope, {
      name: `connections_where ${condition}`,
      text: `select id, xmin::text as version from connection
             where organization_id = scope.organization_id and ${condition} order by slug`,
      values,
    });
    const found = new Map<string, Connection>();
    for (const { id, version } of rows) {
      const known = this.#known.get(id);
      if (known?.version === version) found.set(id, known.connection);
    }
    const changed = rows.filter(({ id }) => !found.has(id)).map(({ id }) => id);
    if (changed.length > 0) await this.#read(scope, changed, found);
    return rows.flatMap(({ id }) => found.get(id) ?? []);
  }

  async #read(scope: TenantScope, ids: readonly string[], into: Map<string, Connection>): Promise<void> {
    const { rows } = await this.#store.onceInTenant<ConnectionRow & { version: string }>(scope, {
      text: `select *, xmin::text as version from connection
             where organization_id = scope.organization_id and id = any ($1::uuid[])`,
      values: [ids],
    });
    if (this.#known.size + ids.length > stored) this.#known.clear();
    for (const { version, ...row } of rows) {
      const connection = connectionOf(row);
      into.set(row.id, connection);
      this.#known.set(row.id, { version, connection });
    }
  }
}
