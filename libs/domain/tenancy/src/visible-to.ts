import type { PermissionArea } from '@switchyard/protocol';
import type { Grant } from './grant.js';

/** The objects of the organization that a principal may see: all, or only its own. */
type Visibility = { readonly kind: 'everything' } | { readonly kind: 'own'; readonly principalId: string };

/**
 * Areas that belong to the organization, not to one buyer. Buyers and brands have no permissions there by default. A
 * permission of any kind in one of them makes a principal an operator.
 */
export const operatorAreas = ['sellers', 'ledger', 'principals'] as const satisfies readonly PermissionArea[];

/** The part of a caller that the decision needs. */
export interface Viewer {
  readonly principalId: string;
  /** The permissions of the presented credential: an operator's narrow token sees only what that token may see. */
  readonly permissions: Readonly<Record<string, readonly string[] | undefined>>;
  /** The scope of each permission; absent if only the principal's own permissions decide. */
  readonly grants?: readonly Grant[];
}

/**
 * Decides whose objects a principal sees, at every route of `/v1`. An object that is not visible is answered like one
 * that does not exist. `authorize` decides before which kinds of objects it may read or change at all.
 */
export function visibleTo({ principalId, permissions, grants }: Viewer): Visibility {
  const everywhere = grants?.filter(({ scope }) => scope.kind === 'organization');
  const permissionSets = everywhere?.map((grant): Viewer['permissions'] => grant.permissions) ?? [
    permissions,
  ];
  const isOperator = permissionSets.some((granted) =>
    operatorAreas.some((area) => Object.hasOwn(granted, area) && (granted[area]?.length ?? 0) > 0),
  );
  return isOperator ? { kind: 'everything' } : { kind: 'own', principalId };
}
