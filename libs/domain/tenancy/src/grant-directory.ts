import type { PermissionArea, PermissionKind } from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';
import type { Permissions } from './principal.js';
import type { Belongings, Grant, GrantScope } from './reach.js';
import type { TenantScope } from './scope.js';

/** A role that a principal or a team has in a scope, as it is stored. */
export interface GrantRecord {
  /** UUID. */
  readonly id: string;
  /** UUID of who has it; absent where a team does. */
  readonly principalId?: string;
  /** UUID of the team that has it: everybody who is in it holds the role. */
  readonly teamId?: string;
  readonly role: string;
  readonly scope: GrantScope;
  /** UUID of who gave it; absent where the platform did. */
  readonly grantedBy?: string;
  readonly createdAt: Instant;
}

/** A role that an organization has edited or made. */
export interface RoleRecord {
  readonly name: string;
  readonly permissions: Permissions;
  readonly updatedAt: Instant;
}

/** A role in a scope with what it gives there. */
export interface PlacedGrant extends Grant {
  /** Where the scope lies, as `placeOf` says it. */
  readonly place?: Belongings;
}

/** The part of a list of grants that is wanted, oldest first. */
export interface GrantPage {
  /** UUID: only what this principal has. */
  readonly principalId?: string;
  /** UUID: only what this team has. */
  readonly teamId?: string;
  readonly after?: { readonly createdAt: Instant; readonly id: string };
  readonly limit: number;
}

/** The port that `adapters/store` implements. Methods reject when the database cannot be reached. */
export interface GrantDirectory {
  /** Grants that are not removed. */
  list(scope: TenantScope, page: GrantPage): Promise<readonly GrantRecord[]>;
  /** What a team holds: each role in a scope once. */
  ofTeam(scope: TenantScope, teamId: string): Promise<readonly PlacedGrant[]>;
  /** False when it would be a team's and there is no such team. */
  add(scope: TenantScope, grant: GrantRecord): Promise<boolean>;
  /** False when there is no such grant. From the commit on no request is answered by it. */
  remove(scope: TenantScope, grantId: string, at: Instant): Promise<boolean>;
  roles(scope: TenantScope): Promise<readonly RoleRecord[]>;
  /** Everybody who has the role holds the new permissions from the commit on. */
  saveRole(scope: TenantScope, role: RoleRecord): Promise<void>;
  /** Where a scope lies: of a campaign also its client and brand. Nothing where the organization has no such thing. */
  placeOf(scope: TenantScope, of: GrantScope): Promise<Belongings | undefined>;
  /** Names of up to three principals that hold a permission in the whole organization, by name. */
  holders(
    scope: TenantScope,
    holding: { readonly area: PermissionArea; readonly kind: PermissionKind },
  ): Promise<readonly string[]>;
}
