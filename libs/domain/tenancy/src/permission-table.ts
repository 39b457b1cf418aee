import type { PermissionArea, PermissionKind } from '@switchyard/protocol';
import type { PrincipalKind } from './principal.js';
import type { Permissions } from './grant.js';

/** The kinds of permission that exist in each area. */
export const permissionTable = {
  clients: ['read', 'write'],
  products: ['read'],
  media_buys: ['read', 'write', 'delete', 'approve'],
  creatives: ['read', 'write', 'delete', 'approve'],
  reports: ['read'],
  signals: ['read', 'write', 'delete', 'approve'],
  sellers: ['read', 'write', 'delete', 'approve'],
  ledger: ['read', 'write', 'approve'],
  delegations: ['read', 'write', 'delete'],
  principals: ['read', 'write', 'delete'],
} as const satisfies Record<PermissionArea, readonly PermissionKind[]>;

/** All permissions. The operator of the local profile has them. */
export const allPermissions: Permissions = permissionTable;

/** Permissions of a new principal if the admin sets none. A service key has only those that it is given. */
export const usualPermissions: Readonly<Record<PrincipalKind, Permissions>> = {
  buyer: {
    products: ['read'],
    media_buys: ['read', 'write', 'delete'],
    creatives: ['read', 'write', 'delete'],
    reports: ['read'],
    signals: ['read', 'write', 'delete'],
  },
  brand: {
    products: ['read'],
    media_buys: ['read', 'write', 'delete'],
    creatives: ['read', 'write', 'delete'],
    reports: ['read'],
    signals: ['read', 'write', 'delete'],
    delegations: ['read', 'write', 'delete'],
  },
  person: {
    clients: ['read'],
    products: ['read'],
    media_buys: ['read'],
    creatives: ['read'],
    reports: ['read'],
    signals: ['read'],
    sellers: ['read'],
    ledger: ['read'],
    delegations: ['read'],
  },
  service: {},
};

/** Returns the permissions that are in both. */
export function narrowed(one: Permissions, other: Permissions): Permissions {
  const both: Partial<Record<PermissionArea, readonly PermissionKind[]>> = {};
  for (const area of areas) {
    const kinds = one[area]?.filter((kind) => other[area]?.includes(kind) === true);
    if (kinds !== undefined && kinds.length > 0) both[area] = kinds;
  }
  return both;
}

/** Returns the first permission, as `area.kind`, in `wanted` but not in `held`: nobody may grant what he does not have. */
export function firstBeyond(
  held: Readonly<Record<string, readonly string[] | undefined>>,
  wanted: Permissions,
): string | undefined {
  for (const area of areas) {
    const missing = wanted[area]?.find((kind) => held[area]?.includes(kind) !== true);
    if (missing !== undefined) return `${area}.${missing}`;
  }
  return undefined;
}

const areas = Object.keys(permissionTable) as PermissionArea[];

const isArea = (name: string): name is PermissionArea => Object.hasOwn(permissionTable, name);

/** Reads stored permissions. Areas and kinds that are not in the table are dropped: they grant nothing. */
export function readPermissions(stored: unknown): Permissions {
  if (typeof stored !== 'object' || stored === null) return {};
  const shared: Partial<Record<PermissionArea, readonly PermissionKind[]>> = {};
  for (const [area, kinds] of Object.entries(stored)) {
    if (!isArea(area) || !Array.isArray(kinds)) continue;
    const known: readonly PermissionKind[] = permissionTable[area];
    shared[area] = known.filter((kind) => kinds.includes(kind));
  }
  return shared;
}
