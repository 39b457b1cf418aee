import type { Instant } from '@switchyard/values';
import type { GrantScope } from './grant.js';
import type { TenantScope } from './scope.js';

/** A role in a scope. */
export interface PlacedRole {
  readonly role: string;
  readonly scope: GrantScope;
}

/** The role in a scope that a group of the provider gives. */
export interface GroupRole extends PlacedRole {
  /** As the provider writes it in the claim; compared exactly. */
  readonly group: string;
}

/**
 * The OpenID Connect provider that the people of one organization sign in with
 * (docs/security/model.md#the-provider-of-an-organization).
 */
export interface SignInProvider {
  /** The `iss` of its tokens. */
  readonly issuer: string;
  readonly clientId: string;
  /** UUID of the sealed secret of the client; absent for a public client. */
  readonly credentialId?: string;
  /** What people call it. */
  readonly name: string;
  /** Host names: only people with an address of one of them sign in. */
  readonly domains: readonly string[];
  /** Whether an address counts as verified if the provider does not say so. */
  readonly trustsEmail: boolean;
  /** The claim that lists the groups of a person. */
  readonly groupsClaim: string;
  /** Scopes that are asked for beside `openid email`. */
  readonly extraScopes: readonly string[];
  readonly groups: readonly GroupRole[];
}

/** What a sign-in changed of a person's roles. */
export interface SettledRoles {
  readonly added: readonly PlacedRole[];
  readonly removed: readonly PlacedRole[];
  /** Kept although no group gives them any more: without them nobody could manage people. */
  readonly kept: readonly PlacedRole[];
}

/** The port that `adapters/store` implements. Methods reject when the database cannot be reached. */
export interface SignInProviders {
  /** It is changed as a control. */
  of(scope: TenantScope): Promise<SignInProvider | undefined>;
  /** Removes it with its sealed secret; false if there is none. Roles that its groups gave stay. */
  remove(scope: TenantScope): Promise<boolean>;
  /**
   * Gives a person the roles that its groups give, and takes away those that an earlier sign-in gave and no group gives
   * any more. Roles that people have granted stay.
   */
  settleRoles(
    scope: TenantScope,
    principalId: string,
    wanted: readonly PlacedRole[],
    at: Instant,
  ): Promise<SettledRoles>;
}

/** The roles that groups give, each role in a scope once. */
export function rolesOfGroups(
  mapping: readonly GroupRole[],
  groups: readonly string[],
): readonly PlacedRole[] {
  const held = new Set(groups);
  const found = new Map<string, PlacedRole>();
  for (const { group, role, scope } of mapping)
    if (held.has(group)) found.set(roleKey({ role, scope }), { role, scope });
  return [...found.values()];
}

/** Equal for the same role in the same scope. */
export function roleKey({ role, scope }: PlacedRole): string {
  return JSON.stringify([role, scope.kind, 'id' in scope ? scope.id : '']);
}

/** Whether an address is of one of the domains. */
export function isOfDomains(email: string, domains: readonly string[]): boolean {
  return domains.includes(email.slice(email.lastIndexOf('@') + 1).toLowerCase());
}
