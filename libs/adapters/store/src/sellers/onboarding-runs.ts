import type { OnboardingRun, OnboardingRuns } from '@switchyard/sellers';
import type { Store } from '../core/open-store.js';
import { storableJson, storableText } from '../core/storable.js';
import type { TenantClient } from '../core/tenant-client.js';

interface RunRow {
  readonly connection_id: string;
  readonly input: string;
  readonly state: OnboardingRun['state'];
  readonly checks: OnboardingRun['checks'];
  readonly digest: string;
  readonly started_by: string;
  readonly approval_id: string | null;
  readonly updated_at: Date;
}

/** The checks of sellers, on PostgreSQL: one row for each seller. */
export function onboardingRuns(store: Store): OnboardingRuns {
  return {
    find: (scope, connectionId) => store.inTenant(scope, (client) => runOf(client, connectionId)),
    save: (scope, run) => store.inTenant(scope, (client) => saveRun(client, run)),
    drafts: (scope, most) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<RunRow & { slug: string; agent_url: string }>(
          `select r.*, c.slug, c.agent_url from connection c
             join onboarding_run r on r.organization_id = c.organization_id and r.connection_id = c.id
           where c.organization_id = $1 and c.state = 'draft' order by c.slug limit $2`,
          [client.organizationId, most],
        );
        return rows.map((row) => ({ slug: row.slug, agentUrl: row.agent_url, run: runFrom(row) }));
      }),
    discard: (scope, connectionId) =>
      store.inTenant(scope, async (client) => {
        const { rowCount } = await client.query(
          `delete from connection where organization_id = $1 and id = $2 and state = 'draft'`,
          [client.organizationId, connectionId],
        );
        if (rowCount === 0) return false;
        await client.query(
          `with run as (delete from onboarding_run where organization_id = $1 and connection_id = $2),
                sign_in as (delete from seller_authorization where organization_id = $1 and connection_id = $2)
           delete from seller_consent where organization_id = $1 and connection_id = $2`,
          [client.organizationId, connectionId],
        );
        return true;
      }),
  };
}

/** The run of a seller in a transaction; undefined if it has none. */
export async function runOf(client: TenantClient, connectionId: string): Promise<OnboardingRun | undefined> {
  const { rows } = await client.query<RunRow>(
    'select * from onboarding_run where organization_id = $1 and connection_id = $2',
    [client.organizationId, connectionId],
  );
  const [row] = rows;
  return row === undefined ? undefined : runFrom(row);
}

export async function saveRun(client: TenantClient, run: OnboardingRun): Promise<void> {
  await client.query(
    `insert into onboarding_run
       (organization_id, connection_id, input, state, checks, digest, started_by, approval_id, updated_at)
     values ($1, $2, $3, $4, $5::jsonb, $6, $7, $8, $9)
     on conflict (organization_id, connection_id) do update set
       input = excluded.input, state = excluded.state, checks = excluded.checks, digest = excluded.digest,
       started_by = excluded.started_by, approval_id = excluded.approval_id, updated_at = excluded.updated_at`,
    [
      client.organizationId,
      run.connectionId,
      storableText(run.input),
      run.state,
      storableJson(run.checks),
      run.digest,
      run.startedBy,
      run.approvalId ?? null,
      new Date(run.updatedAt),
    ],
  );
}

function runFrom(row: RunRow): OnboardingRun {
  return {
    connectionId: row.connection_id,
    input: row.input,
    state: row.state,
    checks: row.checks,
    digest: row.digest,
    startedBy: row.started_by,
    updatedAt: row.updated_at.getTime(),
    ...(row.approval_id === null ? {} : { approvalId: row.approval_id }),
  };
}
