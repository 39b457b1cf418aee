import type { PermissionArea, PermissionKind } from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';
import type { Permissions } from './grant.js';
import type { Belongings } from './reach.js';
import type { GrantScope } from './grant.js';
import type { Grant } from './grant.js';
import type { TenantScope } from './scope.js';

/** A role that a principal or a team has in a scope, as it is stored. */
export interface GrantRecord {
  /** UUID. */
  readonly id: string;
  /** UUID of the principal that has it; absent if a team has it. */
  readonly principalId?: string;
  /** UUID of the team that has it: all its members have the role. */
  readonly teamId?: string;
  readonly role: string;
  readonly scope: GrantScope;
  /** UUID of the principal that granted it; absent if the platform did. */
  readonly grantedBy?: string;
  readonly createdAt: Instant;
  /** True if a group of the organization's sign-in provider gives it: each sign-in settles it anew. */
  readonly isByProvider?: boolean;
}

/** A role that an organization has edited or created. */
interface RoleRecord {
  readonly name: string;
  readonly permissions: Permissions;
  readonly updatedAt: Instant;
}

/** A role in a scope with its permissions there. */
export interface PlacedGrant extends Grant {
  /** Place of the scope, as returned by `placeOf`. */
  readonly place?: Belongings;
}

/** The port that `adapters/store` implements. Methods reject when the database cannot be reached. */
export interface GrantDirectory {
  /** Returns the team's roles, each role in a scope once. */
  ofTeam(scope: TenantScope, teamId: string): Promise<readonly PlacedGrant[]>;
  /** Returns false if the grant is for a team that does not exist. */
  add(scope: TenantScope, grant: GrantRecord): Promise<boolean>;
  /** Returns false if the grant does not exist. From the commit on, no request is authorized by it. */
  remove(scope: TenantScope, grantId: string, at: Instant): Promise<boolean>;
  roles(scope: TenantScope): Promise<readonly RoleRecord[]>;
  /** From the commit on, all principals with the role have the new permissions. */
  saveRole(scope: TenantScope, role: RoleRecord): Promise<void>;
  /** Returns the place of a scope; for a campaign with its client and brand. `undefined` if the scope does not exist. */
  placeOf(scope: TenantScope, of: GrantScope): Promise<Belongings | undefined>;
  /** Returns names of up to three principals that have a permission in the whole organization, by name. */
  holders(
    scope: TenantScope,
    holding: { readonly area: PermissionArea; readonly kind: PermissionKind },
  ): Promise<readonly string[]>;
}
