import { randomUUID } from 'node:crypto';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import { run } from '../core/in-tenant.js';
import { isDuplicate } from '../core/is-duplicate.js';
import type { Store } from '../core/open-store.js';
import type { organizationModel } from '../generated/models.js';

export interface Organization {
  /** UUID. */
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  /** The organization's own domain: as whom it acts at sellers (docs/protocol/accounts.md#two-planes). */
  readonly domain: string;
  /**
   * Whether its sellers answer callers without credentials
   * (docs/protocol/requests-and-versions.md#callers-without-credentials).
   */
  readonly isPublic: boolean;
}

export interface Organizations {
  /** The organization of that slug, made if there is none. What exists is left as it is. */
  ensure(wanted: Omit<Organization, 'id'>, at: Instant): Promise<Organization>;
  bySlug(slug: string): Promise<Organization | undefined>;
  /** The tenant's own domain. Rejects where there is no such organization. */
  domainOf(scope: TenantScope): Promise<string>;
  /** The one that answers callers without credentials; the oldest, if several are marked. */
  publicOne(): Promise<Organization | undefined>;
  /** All tenants, oldest first: workers go through them one scope at a time. */
  ids(): Promise<readonly string[]>;
}

export function organizations(store: Store): Organizations {
  const bySlug = async (slug: string): Promise<Organization | undefined> => {
    const found = await run<organizationModel>(store.pool, 'select * from organization_by_slug($1)', [slug]);
    return found.rows.map(organizationOf)[0];
  };
  return {
    bySlug,
    ensure: async (wanted, at) => {
      const known = await bySlug(wanted.slug);
      if (known !== undefined) return known;
      const made = { id: randomUUID(), ...wanted };
      try {
        await store.inTenantModels({ organizationId: made.id }, ({ organization }) =>
          organization.create({
            data: {
              id: made.id,
              slug: made.slug,
              name: made.name,
              domain: made.domain,
              is_public: made.isPublic,
              created_at: new Date(at),
            },
          }),
        );
        return made;
      } catch (error) {
        const twin = isDuplicate(error) ? await bySlug(wanted.slug) : undefined;
        if (twin === undefined) throw error;
        return twin;
      }
    },
    domainOf: (scope) =>
      store.inTenantModels(scope, async ({ organization }) => {
        const { domain } = await organization.findUniqueOrThrow({ where: { id: scope.organizationId } });
        return domain;
      }),
    publicOne: async () => {
      const found = await run<organizationModel>(store.pool, 'select * from public_organization()');
      return found.rows.map(organizationOf)[0];
    },
    ids: async () => {
      const found = await run<{ id: string }>(store.pool, 'select id from organization_ids()');
      return found.rows.map(({ id }) => id);
    },
  };
}

function organizationOf(row: organizationModel): Organization {
  return { id: row.id, slug: row.slug, name: row.name, domain: row.domain, isPublic: row.is_public };
}
