import type { SecondFactorOf, SignInPolicies, SignInPolicy } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { present } from '../core/present.js';
import type { TenantSession } from '../core/tenant-client.js';
import type { sign_in_policyModel } from '../generated/models.js';

const minute = 60_000;

/** How the people of an organization sign in, in PostgreSQL. */
export function signInPolicies(store: Store): SignInPolicies {
  return { of: (scope) => store.inTenant(scope, policyIn) };
}

/** What the organization has set. */
export async function policyIn({ models, organizationId }: TenantSession): Promise<Partial<SignInPolicy>> {
  const row = await models.sign_in_policy.findFirst({ where: { organization_id: organizationId } });
  if (row === null) return {};
  const secondFactor = row.second_factor as SecondFactorOf | null;
  return { secondFactorRoles: row.second_factor_roles, ...present({ secondFactor }), ...timesOf(row) };
}

/** Replaces what the organization has set. */
export async function savePolicy(
  { models, organizationId }: TenantSession,
  { secondFactor, secondFactorRoles, stepUpMs, idleMs }: SignInPolicy,
  by: { readonly principalId: string; readonly at: Instant },
): Promise<void> {
  const key = { organization_id: organizationId };
  const columns = {
    second_factor: secondFactor,
    second_factor_roles: [...secondFactorRoles],
    step_up_minutes: stepUpMs / minute,
    idle_minutes: idleMs / minute,
    set_at: new Date(by.at),
    set_by: by.principalId,
  };
  await models.sign_in_policy.upsert({ where: key, create: { ...key, ...columns }, update: columns });
}

/** The times of a policy from their columns. */
export function timesOf(row: Pick<sign_in_policyModel, 'step_up_minutes' | 'idle_minutes'>) {
  return present({
    stepUpMs: row.step_up_minutes === null ? undefined : row.step_up_minutes * minute,
    idleMs: row.idle_minutes === null ? undefined : row.idle_minutes * minute,
  });
}
