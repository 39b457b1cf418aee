import type { Connection } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import type { Store } from '../core/open-store.js';
import { connectionOf, type ConnectionRow } from './connection-row.js';

const kept = 5000;

/**
 * Connections are read by every question to the market, and most of a row is what the seller said of itself. So the
 * database is asked for ids and row versions, and only rows that changed are read and parsed again. Nothing is ever
 * stale: `xmin` is another after every update.
 */
export class CachedConnections {
  readonly #store: Store;
  readonly #known = new Map<string, { readonly version: string; readonly connection: Connection }>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** By slug. `condition` is a constant of ours with the placeholders of `values`. */
  find(scope: TenantScope, condition: string, values: readonly unknown[]): Promise<readonly Connection[]> {
    return this.#store.inTenant(scope, async (client) => {
      const { rows } = await client.query<{ id: string; version: string }>(
        `select id, xmin::text as version from connection where ${condition} order by slug`,
        values,
      );
      const found = new Map<string, Connection>();
      for (const { id, version } of rows) {
        const known = this.#known.get(id);
        if (known?.version === version) found.set(id, known.connection);
      }
      const changed = rows.filter(({ id }) => !found.has(id)).map(({ id }) => id);
      if (changed.length > 0) {
        const read = await client.query<ConnectionRow & { version: string }>(
          'select *, xmin::text as version from connection where id = any ($1::uuid[])',
          [changed],
        );
        if (this.#known.size + changed.length > kept) this.#known.clear();
        for (const { version, ...row } of read.rows) {
          const connection = connectionOf(row);
          found.set(row.id, connection);
          this.#known.set(row.id, { version, connection });
        }
      }
      return rows.flatMap(({ id }) => found.get(id) ?? []);
    });
  }
}
