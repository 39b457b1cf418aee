import type { PermissionArea } from '@switchyard/protocol';

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
}

/**
 * Decides whose objects a principal sees, at every route of `/v1`. An object that is not visible is answered like one
 * that does not exist. Which kinds of objects it may read or change at all is decided before, by `authorize`.
 */
export function visibleTo({ principalId, permissions }: Viewer): Visibility {
  const isOperator = operatorAreas.some(
    (area) => Object.hasOwn(permissions, area) && (permissions[area]?.length ?? 0) > 0,
  );
  return isOperator ? { kind: 'everything' } : { kind: 'own', principalId };
}

/** The visibility as a filter of a statement: the principal whose rows it may read; nothing where it may read all. */
export function ownerFilter(viewer: Viewer): { readonly principalId?: string } {
  const visible = visibleTo(viewer);
  return visible.kind === 'everything' ? {} : { principalId: visible.principalId };
}
