import type { PermissionArea, PermissionKind } from '@switchyard/protocol';

/** Permissions, and the objects that they apply to. */
export interface Grant {
  /** The role that gives the permissions; absent for the principal's own permissions. */
  readonly role?: string;
  readonly permissions: Permissions;
  readonly scope: GrantScope;
}

/** The objects that a grant applies to. */
export type GrantScope =
  | { readonly kind: 'organization' }
  /** UUID of a client. */
  | { readonly kind: 'client'; readonly id: string }
  /** Domain of a brand, lower case. */
  | { readonly kind: 'brand'; readonly id: string }
  /** UUID of a campaign. */
  | { readonly kind: 'campaign'; readonly id: string }
  /** Objects that the principal created. */
  | { readonly kind: 'own' };
/** The kinds of permission that a principal has in each area. An absent area gives none. */
export type Permissions = Readonly<Partial<Record<PermissionArea, readonly PermissionKind[]>>>;
