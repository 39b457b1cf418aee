import type { ExpectedChallenge } from '@switchyard/protocol';
import { isTriedAgain, slowPauseMs, type OnboardingRun, type OnboardingRuns } from '@switchyard/sellers';
import type { Store } from '../core/open-store.js';
import { rowReader } from '../core/row-mapper.js';
import { storableText, storableValue } from '../core/storable.js';
import type { TenantSession } from '../core/tenant-client.js';
import { lockRow } from '../core/lock-row.js';
import { tenantsOf } from '../core/tenants-of.js';

/** What a challenge must say, until when, and which one was answered. */
interface StoredChallenge extends ExpectedChallenge {
  readonly until: string;
  readonly hash?: string;
  readonly keyid?: string;
}

/** The checks of sellers, on PostgreSQL: one row for each seller. */
export function onboardingRuns(store: Store): OnboardingRuns {
  return {
    find: (scope, connectionId) => store.inTenant(scope, (client) => runOf(client, connectionId)),
    save: (scope, run) => store.inTenant(scope, (client) => saveRun(client, run)),
    drafts: (scope, most) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<{ slug: string; agent_url: string }>(
          `select r.*, c.slug, c.agent_url from connection c
             join onboarding_run r on r.organization_id = c.organization_id and r.connection_id = c.id
           where c.organization_id = $1 and c.state = 'draft' order by c.slug limit $2`,
          [client.organizationId, most],
        );
        return rows.map((row) => ({ slug: row.slug, agentUrl: row.agent_url, run: runFrom(row) }));
      }),
    expectChallenge: (scope, connectionId, expected, until) =>
      store.inTenantModels(scope, async ({ onboarding_run }) => {
        const challenge = storableValue({ ...expected, until: new Date(until).toISOString() });
        const where = { organization_id: scope.organizationId, connection_id: connectionId };
        await onboarding_run.updateMany({ where, data: { challenge } });
      }),
    answerChallenge: (scope, connectionId, { hash, keyid }, isExpected, at) =>
      store.inTenant(scope, async (client) => {
        const key = { connection_id: connectionId };
        const row = await lockRow(client, 'onboarding_run', key, ['challenge']);
        const stored = (row?.challenge ?? undefined) as StoredChallenge | undefined;
        if (stored === undefined || Date.parse(stored.until) < at || !isExpected(stored)) return false;
        if (stored.hash !== undefined) return stored.hash === hash;
        await client.models.onboarding_run.updateMany({
          where: { organization_id: client.organizationId, ...key },
          data: { challenge: storableValue({ ...stored, hash, keyid }) },
        });
        return true;
      }),
    challengeAnsweredBy: (scope, connectionId) =>
      store.inTenantModels(scope, async ({ onboarding_run }) => {
        const where = { organization_id: scope.organizationId, connection_id: connectionId };
        const run = await onboarding_run.findFirst({ where, select: { challenge: true } });
        return (run?.challenge as StoredChallenge | null | undefined)?.keyid;
      }),
    tenantsToRetry: (at) => tenantsOf(store, 'tenants_with_slow_sellers', at),
    takeToRetry: (scope, at, until) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query(
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
        const { connection } = client.models;
        const { count } = await connection.deleteMany({ where: { id: connectionId, state: 'draft' } });
        if (count === 0) return false;
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
export async function runOf(
  { models, organizationId }: TenantSession,
  connectionId: string,
): Promise<OnboardingRun | undefined> {
  const where = { organization_id: organizationId, connection_id: connectionId };
  const row = await models.onboarding_run.findFirst({ where });
  return row === null ? undefined : runFrom(row);
}

export async function saveRun(
  { models, organizationId }: TenantSession,
  saved: OnboardingRun,
): Promise<void> {
  const key = { organization_id: organizationId, connection_id: saved.connectionId };
  const columns = {
    input: storableText(saved.input),
    state: saved.state,
    checks: storableValue(saved.checks),
    digest: saved.digest,
    started_by: saved.startedBy,
    approval_id: saved.approvalId ?? null,
    updated_at: new Date(saved.updatedAt),
    retry_at: saved.checks.some(isTriedAgain) ? new Date(saved.updatedAt + slowPauseMs) : null,
  };
  await models.onboarding_run.upsert({
    where: { organization_id_connection_id: key },
    create: { ...key, ...columns },
    update: columns,
  });
}

const runFrom = rowReader<OnboardingRun>()(
  'connection_id, input, state, checks, digest, started_by, approval_id, updated_at',
);
