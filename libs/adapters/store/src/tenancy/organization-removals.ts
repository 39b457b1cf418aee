import type { TenantScope } from '@switchyard/tenancy';
import type { Instant, JsonObject } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { rowReader } from '../core/row-mapper.js';
import { run } from '../core/tenant-transaction.js';
import { tenantsOf } from '../core/tenants-of.js';

/** An organization that is closed, or that was removed. */
export interface OrganizationDeletion {
  /** UUID of the principal that requested it. */
  readonly requestedBy: string;
  readonly closedAt: Instant;
  /** When its removal begins; absent once it has begun. */
  readonly dueAt?: Instant;
  readonly removal?: {
    /** Absent while it goes on. */
    readonly endedAt?: Instant;
    /** The last head of each of its journals, with the last signed anchor of it. */
    readonly heads: readonly JsonObject[];
    /** Rows that were removed, by table. */
    readonly removed: Readonly<Record<string, number>>;
  };
}

/** Deletion of organizations (docs/guides/admin.md#delete-an-organization). */
export interface OrganizationRemovals {
  find(organizationId: string): Promise<OrganizationDeletion | undefined>;
  /** Opens a closed organization again. False if it is not closed, or if its removal has begun. */
  keep(scope: TenantScope): Promise<boolean>;
  /** Organizations whose waiting time is over, by the database's clock. */
  due(): Promise<readonly string[]>;
  /**
   * Removes a part of one that is due: at most `most` rows, from the place that the last part answered, an empty text at
   * first. Undefined once nothing is left. Safe to repeat after a crash, and in several processes.
   */
  removePart(organizationId: string, from: string, most: number): Promise<string | undefined>;
}

type Removal = NonNullable<OrganizationDeletion['removal']>;

const removalOf = rowReader<Required<Pick<Removal, 'heads' | 'removed'>>>()('heads, removed');

export function organizationRemovals(store: Store): OrganizationRemovals {
  return {
    find: async (organizationId) => {
      const gone = await store.models.removed_organization.findFirst({ where: { id: organizationId } });
      if (gone !== null)
        return {
          requestedBy: gone.requested_by,
          closedAt: gone.closed_at.getTime(),
          removal: {
            ...removalOf(gone),
            ...(gone.removed_at !== null && { endedAt: gone.removed_at.getTime() }),
          },
        };
      return store.inTenantModels({ organizationId }, async ({ organization_deletion }) => {
        const row = await organization_deletion.findFirst({ where: { organization_id: organizationId } });
        if (row === null) return undefined;
        return {
          requestedBy: row.requested_by,
          closedAt: row.closed_at.getTime(),
          dueAt: row.due_at.getTime(),
        };
      });
    },
    keep: (scope) =>
      store.inTenant(scope, async (client) => {
        const { rowCount } = await client.query(
          `delete from organization_deletion d where d.organization_id = $1
             and not exists (select from removed_organization r where r.id = d.organization_id)`,
          [client.organizationId],
        );
        return rowCount > 0;
      }),
    due: () => tenantsOf(store, 'organizations_to_remove'),
    removePart: async (organizationId, from, most) => {
      const { rows } = await run<{ at: string | null }>(
        store.pool,
        'select remove_organization_part($1, $2, $3) as at',
        [organizationId, from, most],
      );
      return rows[0]?.at ?? undefined;
    },
  };
}
