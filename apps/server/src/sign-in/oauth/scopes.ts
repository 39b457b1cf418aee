import type { PermissionArea, PermissionKind } from '@switchyard/protocol';
import { narrowed, permissionTable, type Permissions, type Principal } from '@switchyard/tenancy';

/**
 * What each scope lets a client do in a person's name, within the person's permissions. None has `approve`: a person
 * must look at an approval. None changes principals: no client can make a credential for itself.
 */
const oauthScopes = {
  read: everywhere(['read']),
  write: everywhere(['read', 'write', 'delete']),
  'ads:products': areas(['products']),
  'ads:media_buys': areas(['media_buys', 'reports']),
  'ads:creatives': areas(['creatives']),
  'ads:signals': areas(['signals']),
} as const satisfies Record<string, Permissions>;

type OAuthScope = keyof typeof oauthScopes;

export const scopeNames = Object.keys(oauthScopes) as readonly OAuthScope[];

const isScope = (name: string): name is OAuthScope => Object.hasOwn(oauthScopes, name);

/** The union of a token's scopes, from its `scope` claim. An unknown scope grants nothing. */
export function permissionsOf(scope: string): Permissions {
  const held: Partial<Record<PermissionArea, readonly PermissionKind[]>> = {};
  for (const name of scope.split(' ').filter(isScope))
    for (const [area, kinds] of Object.entries(oauthScopes[name]) as [PermissionArea, PermissionKind[]][])
      held[area] = [...new Set([...(held[area] ?? []), ...kinds])];
  return held;
}

/** What a client could do with the scopes in this person's name, a line for each area. */
export function consentLines(person: Principal, scope: string): readonly string[] {
  const held = narrowed(person.permissions, permissionsOf(scope));
  return Object.entries(held).map(([area, kinds]) => `${area.replace('_', ' ')}: ${kinds.join(', ')}`);
}

function everywhere(kinds: readonly PermissionKind[]): Permissions {
  return areas(Object.keys(permissionTable) as PermissionArea[], kinds);
}

function areas(
  names: readonly PermissionArea[],
  wanted: readonly PermissionKind[] = ['read', 'write', 'delete'],
): Permissions {
  return Object.fromEntries(
    names.map((area) => {
      const kinds = permissionTable[area].filter((kind) => wanted.includes(kind));
      return [area, area === 'principals' ? kinds.filter((kind) => kind === 'read') : kinds];
    }),
  );
}
