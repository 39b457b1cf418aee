import type { Instant } from '@switchyard/values';
import type { TenantScope } from './scope.js';

/** Principals that hold roles together. */
export interface Team {
  /** UUID. */
  readonly id: string;
  /** Once in the organization. */
  readonly name: string;
  readonly createdAt: Instant;
}

export interface TeamWithMembers extends Team {
  /** By name. */
  readonly members: readonly { readonly principalId: string; readonly name: string }[];
}

/** The part of the list of teams that is wanted, oldest first. */
export interface TeamPage {
  readonly after?: { readonly createdAt: Instant; readonly id: string };
  readonly limit: number;
}

/** What ended with a team. */
export interface RemovedTeam {
  /** How many principals were in it. */
  readonly members: number;
  /** How many grants it had. */
  readonly grants: number;
}

/** The port that `adapters/store` implements. Methods reject when the database cannot be reached. */
export interface TeamDirectory {
  list(scope: TenantScope, page: TeamPage): Promise<readonly TeamWithMembers[]>;
  /** By name, or by id. */
  find(scope: TenantScope, nameOrId: string): Promise<Team | undefined>;
  /** Those of these ids. */
  byIds(scope: TenantScope, ids: readonly string[]): Promise<readonly Team[]>;
  /** False when there is a team of this name. */
  add(scope: TenantScope, team: Team): Promise<boolean>;
  /** The teams that a principal is in, by name. */
  of(scope: TenantScope, principalId: string): Promise<readonly Team[]>;
  /** `taken`: another team has this name. `gone`: there is no such team. */
  rename(scope: TenantScope, teamId: string, name: string): Promise<'renamed' | 'taken' | 'gone'>;
  /**
   * Removes a team, ends its grants and empties it: from the commit on nobody holds anything by it. Undefined when there
   * is no such team.
   */
  remove(scope: TenantScope, teamId: string, at: Instant): Promise<RemovedTeam | undefined>;
  /**
   * Whoever is added holds what the team holds from the commit on. Nothing changes for who is in it already. False when
   * there is no such team.
   */
  addMember(
    scope: TenantScope,
    teamId: string,
    member: { readonly principalId: string; readonly addedBy: string; readonly at: Instant },
  ): Promise<boolean>;
  /** False when it is no member. From the commit on it holds nothing by the team. */
  removeMember(scope: TenantScope, teamId: string, principalId: string): Promise<boolean>;
}
