import type { PermissionKind, TaskArea, PermissionArea } from '@switchyard/protocol';
import { err, ok, type Result } from '@switchyard/values';
import type { PrincipalKind } from './principal.js';
import type { Permissions } from './grant.js';

/** The part of a caller that the decision needs. */
export type AuthorizableCaller =
  | { readonly kind: 'public' }
  | {
      readonly kind: 'principal';
      readonly permissions: Readonly<Record<string, readonly string[] | undefined>>;
    };

/** The part of a task's row that the decision needs. Our own operations always have `credentials`. */
export interface Need {
  readonly access: 'public' | 'limited' | 'credentials';
  readonly area: TaskArea;
  readonly permission: PermissionKind;
}

interface AuthorizationFailure {
  readonly code: 'AUTH_REQUIRED' | 'INSUFFICIENT_PERMISSIONS';
  readonly message: string;
}

/**
 * Decides whether a caller may run a task. A caller without credentials may run a limited task, which then returns a
 * reduced answer; a principal gets the full answer, so its permissions are checked there too. A task about another task
 * (`of_its_task`) needs the permission in any area; the right area is checked again once the other task is known.
 */
export function authorize(caller: AuthorizableCaller, need: Need): Result<void, AuthorizationFailure> {
  if (need.access === 'public') return ok(undefined);
  if (caller.kind === 'public') {
    if (need.access === 'limited') return ok(undefined);
    return err({ code: 'AUTH_REQUIRED', message: 'This request needs credentials.' });
  }
  const { area, permission } = need;
  const areas = area === 'of_its_task' ? Object.keys(permissionTable) : [area];
  if (areas.some((candidate) => holds(caller.permissions, candidate, permission))) return ok(undefined);
  const wanted = area === 'of_its_task' ? `${permission} in the area of its task` : `${area}.${permission}`;
  return err({ code: 'INSUFFICIENT_PERMISSIONS', message: `This needs the permission ${wanted}.` });
}

function holds(
  permissions: Readonly<Record<string, readonly string[] | undefined>>,
  area: string,
  permission: PermissionKind,
): boolean {
  return Object.hasOwn(permissions, area) && permissions[area]?.includes(permission) === true;
}

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
