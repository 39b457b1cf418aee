import type { SecondFactorOf, SignInPolicies, SignInPolicy } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { present } from '../core/present.js';
import type { TenantClient } from '../core/tenant-client.js';

const minute = 60_000;

/** How the people of an organization sign in, in PostgreSQL. */
export function signInPolicies(store: Store): SignInPolicies {
  return { of: (scope) => store.inTenant(scope, policyIn) };
}

/** What the organization has set. */
export async function policyIn(client: TenantClient): Promise<Partial<SignInPolicy>> {
  const { rows } = await client.query<{
    readonly second_factor: SecondFactorOf | null;
    readonly second_factor_roles: readonly string[];
    readonly step_up_minutes: number | null;
    readonly idle_minutes: number | null;
  }>(
    `select second_factor, second_factor_roles, step_up_minutes, idle_minutes
     from sign_in_policy where organization_id = $1`,
    [client.organizationId],
  );
  const [row] = rows;
  if (row === undefined) return {};
  const { second_factor: secondFactor, second_factor_roles: secondFactorRoles } = row;
  return { secondFactorRoles, ...present({ secondFactor }), ...timesOf(row) };
}

/** Replaces what the organization has set. */
export async function savePolicy(
  client: TenantClient,
  { secondFactor, secondFactorRoles, stepUpMs, idleMs }: SignInPolicy,
  by: { readonly principalId: string; readonly at: Instant },
): Promise<void> {
  await client.query(
    `insert into sign_in_policy (organization_id, second_factor, second_factor_roles, step_up_minutes, idle_minutes,
       set_at, set_by) values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (organization_id) do update set second_factor = excluded.second_factor,
       second_factor_roles = excluded.second_factor_roles, step_up_minutes = excluded.step_up_minutes,
       idle_minutes = excluded.idle_minutes, set_at = excluded.set_at, set_by = excluded.set_by`,
    [
      ...[client.organizationId, secondFactor, [...secondFactorRoles], stepUpMs / minute, idleMs / minute],
      ...[new Date(by.at), by.principalId],
    ],
  );
}

/** The times of a policy from their columns. */
export function timesOf(row: {
  readonly step_up_minutes: number | null;
  readonly idle_minutes: number | null;
}) {
  return present({
    stepUpMs: row.step_up_minutes === null ? undefined : row.step_up_minutes * minute,
    idleMs: row.idle_minutes === null ? undefined : row.idle_minutes * minute,
  });
}
