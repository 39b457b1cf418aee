import type { Instant } from '@switchyard/values';
import type { TenantScope } from './scope.js';

/** A group of principals that share roles. */
export interface Team {
  /** UUID. */
  readonly id: string;
  /** Unique in the organization. */
  readonly name: string;
  readonly createdAt: Instant;
}

/** What was removed with a team. */
interface RemovedTeam {
  /** Number of members. */
  readonly members: number;
  /** Number of grants. */
  readonly grants: number;
}

/** The port that `adapters/store` implements. Methods reject when the database cannot be reached. */
export interface TeamDirectory {
  /** By name, or by id. */
  find(scope: TenantScope, nameOrId: string): Promise<Team | undefined>;
  /** Returns the teams with these ids. */
  byIds(scope: TenantScope, ids: readonly string[]): Promise<readonly Team[]>;
  /** Returns false if a team with this name exists. */
  add(scope: TenantScope, team: Team): Promise<boolean>;
  /** Returns the teams of a principal, by name. */
  of(scope: TenantScope, principalId: string): Promise<readonly Team[]>;
  /** `taken`: another team has this name. `gone`: the team does not exist. */
  rename(scope: TenantScope, teamId: string, name: string): Promise<'renamed' | 'taken' | 'gone'>;
  /**
   * Removes a team with its grants and members: from the commit on, it gives nobody a permission. Returns `undefined`
   * if the team does not exist.
   */
  remove(scope: TenantScope, teamId: string, at: Instant): Promise<RemovedTeam | undefined>;
  /**
   * From the commit on, the new member has the team's roles. Adding a member again changes nothing. Returns false if
   * the team does not exist.
   */
  addMember(
    scope: TenantScope,
    teamId: string,
    member: { readonly principalId: string; readonly addedBy: string; readonly at: Instant },
  ): Promise<boolean>;
  /** Returns false if it is not a member. From the commit on, the team gives it no permission. */
  removeMember(scope: TenantScope, teamId: string, principalId: string): Promise<boolean>;
}
