import type { PermissionArea, PermissionKind } from '@switchyard/protocol';
import { allPermissions, firstBeyond, narrowed, permissionTable } from './authorize.js';
import type { Principal } from './principal.js';
import type { Permissions, Grant } from './grant.js';
import { directGrant, firstBeyondReach, type Grantee } from './reach.js';

/** Roles that every organization has. An organization's edited role of the same name replaces it. */
export const builtInRoles: Readonly<Record<string, Permissions>> = {
  trader: {
    products: ['read'],
    media_buys: ['read', 'write', 'delete', 'approve'],
    creatives: ['read', 'write', 'delete', 'approve'],
    reports: ['read'],
    signals: ['read', 'write', 'delete', 'approve'],
    sellers: ['read'],
    ledger: ['read'],
    clients: ['read', 'write'],
  },
  finance: {
    products: ['read'],
    media_buys: ['read', 'approve'],
    reports: ['read'],
    sellers: ['read'],
    ledger: ['read', 'write', 'approve'],
    delegations: ['read'],
    clients: ['read'],
  },
  admin: allPermissions,
  reviewer: {
    products: ['read'],
    media_buys: ['read', 'approve'],
    creatives: ['read', 'approve'],
    reports: ['read'],
    signals: ['read'],
    clients: ['read'],
  },
  viewer: {
    products: ['read'],
    media_buys: ['read'],
    creatives: ['read'],
    reports: ['read'],
    signals: ['read'],
    sellers: ['read'],
    ledger: ['read'],
    delegations: ['read'],
    clients: ['read'],
  },
};

/** Sellers and principals belong to the whole organization: a narrower scope gives no permission on them. */
const organizationAreas: readonly PermissionArea[] = ['sellers', 'principals'];

/** Returns a role in a scope, with the permissions that apply there. */
export function roleGrant(role: string, permissions: Permissions, scope: Grant['scope']): Grant {
  if (scope.kind === 'organization') return { role, permissions, scope };
  const granted = Object.entries(permissions).filter(
    ([area]) => !organizationAreas.includes(area as PermissionArea),
  );
  return { role, permissions: Object.fromEntries(granted), scope };
}

/** Returns a principal with the permissions of its roles added to its own. */
export function withRoles(principal: Principal, roles: readonly Grant[]): Principal {
  if (roles.length === 0) return principal;
  const { id: principalId, permissions } = principal;
  const own = directGrant({ principalId, permissions });
  return { ...principal, permissions: union([own, ...roles]), grants: [own, ...roles] };
}

/**
 * Returns a principal limited to the permissions of its credential: each grant is narrowed. The scope of its own
 * permissions is computed from the remaining ones.
 */
export function withFewerPermissions(principal: Principal, permissions: Permissions): Principal {
  const own =
    principal.grants === undefined
      ? directGrant({ principalId: principal.id, permissions: principal.permissions })
      : principal.grants.find(({ role }) => role === undefined);
  const narrow = {
    ...principal,
    permissions: narrowed(principal.permissions, permissions),
    ...(own?.scope.kind === 'organization' && { isNarrowedOperator: true }),
  };
  if (principal.grants === undefined) return narrow;
  const grants = principal.grants.map((grant) => {
    const left = narrowed(grant.permissions, permissions);
    if (grant.role === undefined) return directGrant({ principalId: principal.id, permissions: left });
    return { ...grant, permissions: left };
  });
  return { ...narrow, grants };
}

/**
 * Returns the first permission, as `area.kind`, that `principal` has in some scope and `giver` does not have there. For
 * a credential of its own, the permissions of the giver's credential are compared.
 */
export function firstBeyondPrincipal(giver: Grantee, principal: Principal): string | undefined {
  if (giver.principalId === principal.id) return firstBeyond(giver.permissions, principal.permissions);
  const { id: principalId, permissions, grants } = principal;
  for (const grant of grants ?? [directGrant({ principalId, permissions })]) {
    const beyond = firstBeyondReach(giver, grant);
    if (beyond !== undefined) return beyond;
  }
  return undefined;
}

function union(grants: readonly Grant[]): Permissions {
  const areas = Object.entries(permissionTable) as [PermissionArea, readonly PermissionKind[]][];
  return Object.fromEntries(
    areas.flatMap(([area, kinds]) => {
      const allowed = kinds.filter((kind) =>
        grants.some(({ permissions }) => permissions[area]?.includes(kind)),
      );
      return allowed.length === 0 ? [] : [[area, allowed]];
    }),
  );
}
