import { builtInRoles, isInReach, reachOf, type Belongings, type Principal } from '@switchyard/tenancy';
import type { PermissionArea, PermissionKind } from '@switchyard/protocol';
import type { TenantClient } from '../core/tenant-client.js';
import { holders, isPersonOf } from '../tenancy/one-person.js';
import { grantOfPrincipal, principalOf, rolesOf, type HolderRow } from '../tenancy/principal-row.js';

interface Holding {
  readonly area: PermissionArea;
  readonly kind: PermissionKind;
  /** Where it must be held. */
  readonly place: Belongings;
}

/**
 * Whether an active principal that the requester cannot act as holds a permission at a place. Without one the requester
 * is alone. A principal that can act as the requester is somebody else here: it is another person or can take the step
 * itself (docs/security/model.md#changes-of-controls).
 */
export async function isSomebodyElse(
  client: TenantClient,
  requester: string,
  { area, kind, place }: Holding,
): Promise<boolean> {
  const roles = Object.entries(builtInRoles).filter(([, held]) => held[area]?.includes(kind) === true);
  const { rows } = await client.query<HolderRow>(others, [
    requester,
    area,
    kind,
    roles.map(([name]) => name),
  ]);
  return rows.some((row) => holdsAt(principalOf(row), { area, kind, place }));
}

/** An active principal with its roles. */
export async function activePrincipal(client: TenantClient, id: string): Promise<Principal | undefined> {
  const text = `select p.*, ${rolesOf} from principal p where p.id = $1 and p.disabled_at is null`;
  const { rows } = await client.query<HolderRow>(text, [id]);
  return rows.map(principalOf)[0];
}

export function holdsAt(principal: Principal, { area, kind, place }: Holding): boolean {
  return isInReach(reachOf({ ...principal, principalId: principal.id }, area, kind), place);
}

/** Holders of a permission in any scope, without those that `$1` can act as. */
const others = `
  select p.*, ${rolesOf} from principal p
  where p.disabled_at is null and p.id <> $1
    and (p.permissions -> $2 ? $3 or exists (
      select 1 from access_grant g left join role r on r.organization_id = g.organization_id and r.name = g.role
      where ${grantOfPrincipal}
        and case when r.name is null then g.role = any($4::text[]) else r.permissions -> $2 ? $3 end))
    and not exists (
      with recursive ${holders('held', 'p.id')}
      select 1 from held where ${isPersonOf('held.id', '$1')})
  order by p.name limit 200`;
