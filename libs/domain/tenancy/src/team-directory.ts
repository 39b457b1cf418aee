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

/** The port that `adapters/store` implements. Methods reject when the database cannot be reached. */
export interface TeamDirectory {
  list(scope: TenantScope, page: TeamPage): Promise<readonly TeamWithMembers[]>;
  /** By name, or by id. */
  find(scope: TenantScope, nameOrId: string): Promise<Team | undefined>;
  /** Those of these ids. */
  named(scope: TenantScope, ids: readonly string[]): Promise<readonly Team[]>;
  /** False when there is a team of this name. */
  add(scope: TenantScope, team: Team): Promise<boolean>;
  /** Whoever is added holds what the team holds from the commit on. Nothing changes for who is in it already. */
  addMember(
    scope: TenantScope,
    teamId: string,
    member: { readonly principalId: string; readonly addedBy: string; readonly at: Instant },
  ): Promise<void>;
  /** False when it is no member. From the commit on it holds nothing by the team. */
  removeMember(scope: TenantScope, teamId: string, principalId: string): Promise<boolean>;
}
