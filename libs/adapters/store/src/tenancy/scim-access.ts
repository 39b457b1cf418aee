import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import type { TenantSession } from '../core/tenant-client.js';

/** That an organization lets a provisioning system manage its people. */
export interface ScimAccess {
  /** UUID of the principal whose tokens open it. */
  readonly principalId: string;
  readonly allowedAt: Instant;
  readonly users: number;
  readonly groups: number;
}

export interface ScimAccesses {
  /** It is allowed as a control. */
  of(scope: TenantScope): Promise<ScimAccess | undefined>;
  /** Ends it with every token; false if it was not allowed. People and teams stay. */
  end(scope: TenantScope, at: Instant): Promise<boolean>;
}

export function scimAccesses(store: Store): ScimAccesses {
  return {
    of: (scope) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<{
          principal_id: string;
          allowed_at: Date;
          users: string;
          groups: string;
        }>(
          `select a.principal_id, a.allowed_at,
             (select count(*) from scim_user u where u.organization_id = a.organization_id) as users,
             (select count(*) from scim_group g where g.organization_id = a.organization_id) as groups
           from scim_access a where a.organization_id = $1`,
          [client.organizationId],
        );
        const [row] = rows;
        if (row === undefined) return undefined;
        return {
          principalId: row.principal_id,
          allowedAt: row.allowed_at.getTime(),
          users: Number(row.users),
          groups: Number(row.groups),
        };
      }),
    end: (scope, at) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<{ principal_id: string }>(
          'delete from scim_access where organization_id = $1 returning principal_id',
          [client.organizationId],
        );
        const [ended] = rows;
        if (ended === undefined) return false;
        await client.models.principal.updateMany({
          where: { id: ended.principal_id, disabled_at: null },
          data: { disabled_at: new Date(at) },
        });
        return true;
      }),
  };
}

export async function isScimAllowed({ models, organizationId }: TenantSession): Promise<boolean> {
  return (await models.scim_access.count({ where: { organization_id: organizationId } })) > 0;
}

/** Makes the principal of the provisioning system, which holds no permission of its own. */
export async function allowScim(
  client: TenantSession,
  principalId: string,
  by: { readonly principalId: string; readonly at: Instant },
): Promise<void> {
  const { organizationId } = client;
  const name = `provisioning-${principalId.slice(0, 8)}`;
  await insertPrincipal(client, { id: principalId, name, kind: 'service' }, by.at);
  await client.models.scim_access.create({
    data: {
      organization_id: organizationId,
      principal_id: principalId,
      allowed_at: new Date(by.at),
      allowed_by: by.principalId,
    },
  });
}

/** A principal without a permission of its own. */
export async function insertPrincipal(
  { models, organizationId }: TenantSession,
  { id, name, kind }: { readonly id: string; readonly name: string; readonly kind: 'person' | 'service' },
  at: Instant,
): Promise<void> {
  const flags = { permissions: {}, transitional: kind === 'person', legacy: false };
  await models.principal.create({
    data: { organization_id: organizationId, id, name, kind, ...flags, created_at: new Date(at) },
  });
}
