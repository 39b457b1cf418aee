import type { PermissionArea, PermissionKind } from '@switchyard/protocol';
import type { Permissions, PrincipalKind } from './principal.js';

/** Which kinds of permission mean something in which area. */
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

/** Every permission there is: what the local profile's own operator holds. */
export const allPermissions: Permissions = permissionTable;

/** What a new principal may do unless an admin says otherwise. A service key may do what it is given, and no more. */
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

/** What both hold. */
export function narrowed(one: Permissions, other: Permissions): Permissions {
  const both: Partial<Record<PermissionArea, readonly PermissionKind[]>> = {};
  for (const area of areas) {
    const kinds = one[area]?.filter((kind) => other[area]?.includes(kind) === true);
    if (kinds !== undefined && kinds.length > 0) both[area] = kinds;
  }
  return both;
}

/** The first permission, as `area.kind`, that is wanted and not held: nobody hands on what he does not hold. */
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

/** Reads permissions as stored. Areas and kinds that the table does not know are dropped: they grant nothing. */
export function readPermissions(stored: unknown): Permissions {
  if (typeof stored !== 'object' || stored === null) return {};
  const held: Partial<Record<PermissionArea, readonly PermissionKind[]>> = {};
  for (const [area, kinds] of Object.entries(stored)) {
    if (!isArea(area) || !Array.isArray(kinds)) continue;
    const known: readonly PermissionKind[] = permissionTable[area];
    held[area] = known.filter((kind) => kinds.includes(kind));
  }
  return held;
}
