import type { PermissionArea } from '@switchyard/protocol';
import type { Grant } from './reach.js';

/** What a principal may see of its organization: everything, or only the objects that are its own. */
export type Visibility =
  { readonly kind: 'everything' } | { readonly kind: 'own'; readonly principalId: string };

/**
 * The areas that belong to the organization and not to one buyer. A buyer and a brand hold nothing there by default. A
 * permission of any kind in one of them makes its holder an operator.
 */
export const operatorAreas = ['sellers', 'ledger', 'principals'] as const satisfies readonly PermissionArea[];

/** As much of a caller as the decision needs. */
export interface Viewer {
  readonly principalId: string;
  /** Those of the credential that was shown: a narrow token of an operator sees what a narrow token may see. */
  readonly permissions: Readonly<Record<string, readonly string[] | undefined>>;
  /** Where each of them holds; absent where its own permissions alone decide. */
  readonly grants?: readonly Grant[];
}

/**
 * Decides whose objects a principal sees, at every route of `/v1`. An object that is not visible is answered like one
 * that does not exist. Which kinds of objects it may read or change at all is decided before, by `authorize`.
 */
export function visibleTo({ principalId, permissions, grants }: Viewer): Visibility {
  const everywhere = grants?.filter(({ scope }) => scope.kind === 'organization');
  const held = everywhere?.map((grant): Viewer['permissions'] => grant.permissions) ?? [permissions];
  const isOperator = held.some((one) =>
    operatorAreas.some((area) => Object.hasOwn(one, area) && (one[area]?.length ?? 0) > 0),
  );
  return isOperator ? { kind: 'everything' } : { kind: 'own', principalId };
}
