import type { SecondFactorOf, SignInPolicies } from '@switchyard/tenancy';
import type { Store } from '../core/open-store.js';
import { present } from '../core/present.js';

const minute = 60_000;
const minutesOf = (ms: number | undefined): number | null => (ms === undefined ? null : ms / minute);

/** How the people of an organization sign in, in PostgreSQL. */
export function signInPolicies(store: Store): SignInPolicies {
  return {
    of: (scope) =>
      store.inTenantModels(scope, async ({ sign_in_policy }) => {
        const row = await sign_in_policy.findUnique({ where: { organization_id: scope.organizationId } });
        if (row === null) return {};
        return present({
          secondFactor: (row.second_factor ?? undefined) as SecondFactorOf | undefined,
          secondFactorRoles: row.second_factor_roles,
          ...timesOf(row),
        });
      }),
    set: (scope, { secondFactor, secondFactorRoles, stepUpMs, idleMs }, { principalId, at }) =>
      store.inTenantModels(scope, async ({ sign_in_policy }) => {
        const columns = {
          second_factor: secondFactor ?? null,
          second_factor_roles: [...(secondFactorRoles ?? [])],
          step_up_minutes: minutesOf(stepUpMs),
          idle_minutes: minutesOf(idleMs),
          set_at: new Date(at),
          set_by: principalId,
        };
        await sign_in_policy.upsert({
          where: { organization_id: scope.organizationId },
          create: { organization_id: scope.organizationId, ...columns },
          update: columns,
        });
      }),
  };
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
