import type { PermissionArea, PermissionKind } from '@switchyard/protocol';
import { narrowed } from './authorize.js';
import type { Permissions } from './grant.js';

/** One part of the product that a person can open to a program, for reading and for writing. */
interface ScopeArea {
  readonly read: Permissions;
  readonly write: Permissions;
}

/**
 * What each scope lets a program do in a person's name, within the person's permissions. None has `approve`, none
 * changes people or what they may do, and none removes a seller (docs/security/model.md#programs-that-a-person-lets-in).
 */
const scopeAreas = {
  market: { read: { products: ['read'], signals: ['read'] }, write: { signals: ['write', 'delete'] } },
  buys: {
    read: { media_buys: ['read'], clients: ['read'] },
    write: { media_buys: ['write', 'delete'], clients: ['write'] },
  },
  creatives: { read: { creatives: ['read'] }, write: { creatives: ['write', 'delete'] } },
  reports: { read: { reports: ['read'] }, write: {} },
  ledger: { read: { ledger: ['read'] }, write: { ledger: ['write'] } },
  sellers: { read: { sellers: ['read'] }, write: { sellers: ['write'] } },
  people: { read: { principals: ['read'], delegations: ['read'] }, write: {} },
} as const satisfies Readonly<Record<string, ScopeArea>>;

type AreaScope = `${keyof typeof scopeAreas}:${keyof ScopeArea}`;

const areaScopes = (Object.keys(scopeAreas) as (keyof typeof scopeAreas)[]).flatMap(
  (area): readonly AreaScope[] => [`${area}:read`, `${area}:write`],
);

/** Older and shorter names, and those of the `service` form, with the scopes that each one means. */
const scopeAliases: Readonly<Record<string, readonly AreaScope[]>> = {
  read: areaScopes.filter((name) => name.endsWith(':read')),
  write: ['buys:write', 'creatives:write'],
  'ads:products': ['market:read'],
  'ads:media_buys': ['buys:read', 'buys:write'],
  'ads:creatives': ['creatives:read', 'creatives:write'],
  'ads:signals': ['market:read', 'market:write'],
};

/** Every scope that a program may request. */
export const programScopes: readonly string[] = [...areaScopes, ...Object.keys(scopeAliases)];

/** The scopes that a program requests unless it knows better: reading everywhere, and what the work on buys needs. */
export const usualScopes: readonly string[] = expandScopes('read write');

/** The scopes that a list of names means, each once, in order. Unknown names mean none. */
export function expandScopes(scope: string): readonly string[] {
  const named = scope.split(' ').flatMap((name): readonly string[] => {
    if (Object.hasOwn(scopeAliases, name)) return scopeAliases[name] ?? [];
    return areaScopes.filter((known) => known === name);
  });
  return [...new Set(named)];
}

/** The permissions that scopes give, from a `scope` claim. An unknown scope gives none. */
export function permissionsOfScopes(scope: string): Permissions {
  const held: Partial<Record<PermissionArea, readonly PermissionKind[]>> = {};
  for (const name of expandScopes(scope)) {
    const [area, kind] = name.split(':') as [keyof typeof scopeAreas, keyof ScopeArea];
    const given: Permissions = scopeAreas[area][kind];
    for (const [of, kinds] of Object.entries(given) as [PermissionArea, readonly PermissionKind[]][])
      held[of] = [...new Set([...(held[of] ?? []), ...kinds])];
  }
  return held;
}

/** The permissions of a program with every scope. What is not among them is done by a person alone. */
export const programPermissions: Permissions = permissionsOfScopes(areaScopes.join(' '));

/** Whether scopes let a program spend money of a person with these permissions. */
export function scopesBuy(scope: string, of: Permissions): boolean {
  return narrowed(of, permissionsOfScopes(scope)).media_buys?.includes('write') === true;
}

/** The scopes that would give a program a permission; none where only a person may have it. */
export function scopesGiving(area: PermissionArea, kind: PermissionKind): readonly string[] {
  return areaScopes.filter((name) => permissionsOfScopes(name)[area]?.includes(kind) === true);
}

/** The name of one person's program, as limits have it: the same program of another person is another one. */
export function programKey(principalId: string, clientId: string): string {
  return `${principalId}:${clientId}`;
}
