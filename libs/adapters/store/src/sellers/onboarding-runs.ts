import type { ExpectedChallenge } from '@switchyard/protocol';
import { isTriedAgain, slowPauseMs, type OnboardingRun, type OnboardingRuns } from '@switchyard/sellers';
import type { Store } from '../core/open-store.js';
import { storableJson, storableText } from '../core/storable.js';
import type { TenantClient } from '../core/tenant-client.js';
import { run } from '../core/tenant-transaction.js';

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

/** What a challenge must say, until when, and which one was answered. */
interface StoredChallenge extends ExpectedChallenge {
  readonly until: string;
  readonly hash?: string;
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
    expectChallenge: (scope, connectionId, expected, until) =>
      store.inTenant(scope, async (client) => {
        const challenge = { ...expected, until: new Date(until).toISOString() };
        await client.query(
          'update onboarding_run set challenge = $3::jsonb where organization_id = $1 and connection_id = $2',
          [client.organizationId, connectionId, storableJson(challenge)],
        );
      }),
    answerChallenge: (scope, connectionId, { hash, keyid }, isExpected, at) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<{ challenge: StoredChallenge | null }>(
          `select challenge from onboarding_run where organization_id = $1 and connection_id = $2 for update`,
          [client.organizationId, connectionId],
        );
        const stored = rows[0]?.challenge ?? undefined;
        if (stored === undefined || Date.parse(stored.until) < at || !isExpected(stored)) return false;
        if (stored.hash !== undefined) return stored.hash === hash;
        await client.query(
          `update onboarding_run set challenge = challenge || $3::jsonb where organization_id = $1 and connection_id = $2`,
          [client.organizationId, connectionId, storableJson({ hash, keyid })],
        );
        return true;
      }),
    challengeAnsweredBy: (scope, connectionId) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<{ keyid: string | null }>(
          `select challenge->>'keyid' as keyid from onboarding_run where organization_id = $1 and connection_id = $2`,
          [client.organizationId, connectionId],
        );
        return rows[0]?.keyid ?? undefined;
      }),
    tenantsToRetry: async (at) => {
      const { rows } = await run<{ organization_id: string }>(store.pool, {
        name: 'tenants_with_slow_sellers',
        text: 'select tenants_with_slow_sellers($1) as organization_id',
        values: [new Date(at)],
      });
      return rows.map((row) => row.organization_id);
    },
    takeToRetry: (scope, at, until) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<RunRow>(
          `update onboarding_run set retry_at = $3 where organization_id = $1 and connection_id = (
             select r.connection_id from onboarding_run r
             where r.organization_id = $1 and r.retry_at <= $2 order by r.retry_at limit 1 for update skip locked)
           returning *`,
          [client.organizationId, new Date(at), new Date(until)],
        );
        const [row] = rows;
        return row === undefined ? undefined : runFrom(row);
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

export async function saveRun(client: TenantClient, saved: OnboardingRun): Promise<void> {
  await client.query(
    `insert into onboarding_run
       (organization_id, connection_id, input, state, checks, digest, started_by, approval_id, updated_at, retry_at)
     values ($1, $2, $3, $4, $5::jsonb, $6, $7, $8, $9, $10)
     on conflict (organization_id, connection_id) do update set
       input = excluded.input, state = excluded.state, checks = excluded.checks, digest = excluded.digest,
       started_by = excluded.started_by, approval_id = excluded.approval_id, updated_at = excluded.updated_at,
       retry_at = excluded.retry_at`,
    [
      client.organizationId,
      saved.connectionId,
      storableText(saved.input),
      saved.state,
      storableJson(saved.checks),
      saved.digest,
      saved.startedBy,
      saved.approvalId ?? null,
      new Date(saved.updatedAt),
      saved.checks.some(isTriedAgain) ? new Date(saved.updatedAt + slowPauseMs) : null,
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
