import type { PermissionArea, PermissionKind } from '@switchyard/protocol';
import type { Permissions, PrincipalKind } from './principal.js';

/** Which kinds of permission mean something in which area. */
export const permissionTable = {
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

/** What operations outside the protocol's tasks need: the console's and the command line's. */
export const operationNeeds = {
  'sellers.list': { area: 'sellers', permission: 'read' },
  'sellers.add': { area: 'sellers', permission: 'write' },
  'sellers.import': { area: 'sellers', permission: 'write' },
  'sellers.remove': { area: 'sellers', permission: 'delete' },
  'sellers.approve': { area: 'sellers', permission: 'approve' },
  'credentials.list': { area: 'sellers', permission: 'read' },
  'credentials.rotate': { area: 'sellers', permission: 'write' },
  'credentials.revoke': { area: 'sellers', permission: 'delete' },
  'credentials.rewrap': { area: 'sellers', permission: 'approve' },
  'buys.list': { area: 'media_buys', permission: 'read' },
  'buys.settle': { area: 'media_buys', permission: 'approve' },
  // Who may answer is decided again by the area of the task that waits.
  'approvals.list': { area: 'media_buys', permission: 'read' },
  'approvals.answer': { area: 'media_buys', permission: 'approve' },
  'approvals.dismiss': { area: 'media_buys', permission: 'approve' },
  'ledger.spend': { area: 'ledger', permission: 'read' },
  'ledger.verify': { area: 'ledger', permission: 'read' },
  'events.list': { area: 'reports', permission: 'read' },
  // To admit an event is to post what it says.
  'events.decide': { area: 'ledger', permission: 'approve' },
  'principals.list': { area: 'principals', permission: 'read' },
  'principals.add': { area: 'principals', permission: 'write' },
  'principals.rotate': { area: 'principals', permission: 'write' },
  'principals.revoke': { area: 'principals', permission: 'delete' },
  // An account is its principal's: who looks after principals may hold it back.
  'accounts.list': { area: 'principals', permission: 'read' },
  'accounts.hold': { area: 'principals', permission: 'write' },
  'signers.list': { area: 'principals', permission: 'read' },
  'signers.add': { area: 'principals', permission: 'write' },
  'signers.remove': { area: 'principals', permission: 'delete' },
  // Whose they may be is decided by who asks: a principal's own, or everybody's for who looks after principals.
  'delegations.list': { area: 'delegations', permission: 'read' },
  'delegations.grant': { area: 'delegations', permission: 'write' },
  'delegations.revoke': { area: 'delegations', permission: 'delete' },
  'custody.read': { area: 'delegations', permission: 'read' },
  'alarms.list': { area: 'sellers', permission: 'read' },
  // To accept a key set is to say whose signatures count.
  'alarms.acknowledge': { area: 'sellers', permission: 'approve' },
  'signatures.refused': { area: 'principals', permission: 'read' },
  'keys.list': { area: 'principals', permission: 'read' },
  'keys.rotate': { area: 'principals', permission: 'write' },
  'tokens.mint': { area: 'principals', permission: 'write' },
} as const satisfies Record<string, { readonly area: PermissionArea; readonly permission: PermissionKind }>;

export type OperationName = keyof typeof operationNeeds;

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
