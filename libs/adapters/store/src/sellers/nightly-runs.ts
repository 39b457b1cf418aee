import type { NightlyRun, NightlyRuns } from '@switchyard/sellers';
import type { Store } from '../core/open-store.js';
import { rowReader } from '../core/row-mapper.js';
import { storableJson } from '../core/storable.js';

/** The nightly checks of sellers, on PostgreSQL: one row for each seller. */
export function nightlyRuns(store: Store): NightlyRuns {
  return {
    find: (scope, connectionId) =>
      store.inTenantModels(scope, async ({ nightly_run }) => {
        const where = { organization_id: scope.organizationId, connection_id: connectionId };
        const row = await nightly_run.findFirst({ where });
        return row === null ? undefined : runOf(row);
      }),
    save: (scope, { connectionId, state, checks, at }) =>
      store.inTenant(scope, async (client) => {
        await client.query(
          `insert into nightly_run as kept (organization_id, connection_id, state, checks, at, answered_at)
           values ($1, $2, $3, $4::jsonb, $5, case when $3 <> 'unanswered' then $5::timestamptz end)
           on conflict (organization_id, connection_id) do update set
             state = excluded.state, checks = excluded.checks, at = excluded.at,
             answered_at = coalesce(excluded.answered_at, kept.answered_at)`,
          [client.organizationId, connectionId, state, storableJson(checks), new Date(at)],
        );
      }),
    answeredAt: (scope, connectionId) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<{ at: Date | null }>(
          `select greatest(
             (select answered_at from nightly_run where organization_id = $1 and connection_id = $2),
             (select updated_at from onboarding_run where organization_id = $1 and connection_id = $2)) as at`,
          [client.organizationId, connectionId],
        );
        return rows[0]?.at?.getTime();
      }),
  };
}

const runOf = rowReader<NightlyRun>()('connection_id, state, checks, at');
