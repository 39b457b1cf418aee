import type { Principal } from './principal.js';
import type { TenantScope } from './scope.js';

const minute = 60_000;

/** Of whom a second factor is demanded: of nobody, of whoever may approve something or change people, of everybody. */
export type SecondFactorOf = 'nobody' | 'approvers' | 'everybody';

/** How the people of an organization sign in (docs/security/model.md#people-who-sign-in). */
export interface SignInPolicy {
  readonly secondFactor: SecondFactorOf;
  /** Names of roles whose holders need a second factor too. */
  readonly secondFactorRoles: readonly string[];
  /** Milliseconds after a sign-in in which it counts as recent. */
  readonly stepUpMs: number;
  /** Milliseconds without a request after which a session ends. */
  readonly idleMs: number;
}

/**
 * The policy of an organization that has set none. In the local profile, which is for trials on one machine, nobody
 * needs a second factor and every sign-in counts as recent until its session ends.
 */
export function defaultSignInPolicy(isLocal: boolean): SignInPolicy {
  return {
    secondFactor: isLocal ? 'nobody' : 'approvers',
    secondFactorRoles: [],
    stepUpMs: (isLocal ? 12 * 60 : 15) * minute,
    idleMs: 8 * 60 * minute,
  };
}

/** Whether a person may sign in with a second factor alone. Roles count through teams too. */
export function demandsSecondFactor(
  { secondFactor, secondFactorRoles }: SignInPolicy,
  { permissions, grants = [] }: Pick<Principal, 'permissions' | 'grants'>,
): boolean {
  if (grants.some(({ role }) => role !== undefined && secondFactorRoles.includes(role))) return true;
  if (secondFactor !== 'approvers') return secondFactor === 'everybody';
  const approves = Object.values(permissions).some((kinds) => kinds.includes('approve'));
  return approves || permissions.principals?.includes('write') === true;
}

const strength: readonly SecondFactorOf[] = ['nobody', 'approvers', 'everybody'];

/** Whether a policy asks less of anybody than the one before it: such a change is a step down. */
export function isLooserPolicy(before: SignInPolicy, after: SignInPolicy): boolean {
  return (
    strength.indexOf(after.secondFactor) < strength.indexOf(before.secondFactor) ||
    (after.secondFactor !== 'everybody' &&
      before.secondFactorRoles.some((role) => !after.secondFactorRoles.includes(role))) ||
    after.stepUpMs > before.stepUpMs ||
    after.idleMs > before.idleMs
  );
}

/** A policy in words. */
export function policyText({ secondFactor, secondFactorRoles, stepUpMs, idleMs }: SignInPolicy): string {
  const roles = secondFactorRoles.length === 0 ? '' : ` and the roles ${secondFactorRoles.join(', ')}`;
  const [recent, idle] = [stepUpMs / minute, idleMs / minute];
  return `a second factor of ${secondFactor}${roles}, recent for ${recent} minutes, idle for ${idle} minutes`;
}

/** The port that `adapters/store` implements. Methods reject when the database cannot be reached. */
export interface SignInPolicies {
  /** What the organization has set; members that it has not set are absent. It is changed as a control. */
  of(scope: TenantScope): Promise<Partial<SignInPolicy>>;
}
