import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import type { TenantClient } from '../core/tenant-client.js';

/** What is counted by the day in `usage_count`, each in the column of its name. */
export const usageCounters = ['calls', 'relays', 'import_bytes'] as const;
export type UsageCounter = (typeof usageCounters)[number];
/** Amounts of them. */
export type UsageAmounts = Readonly<Record<UsageCounter, number>>;

/**
 * What an organization may use: amounts of a counter per day or month, which begin at midnight UTC, and what is there. A
 * kind `COUNTER_per_day` needs nothing else than its name.
 */
export const quotaKinds = [
  'calls_per_day',
  'calls_per_month',
  'buys_per_day',
  'buys_per_month',
  'relays_per_day',
  'relays_per_month',
  'import_bytes_per_day',
  'import_bytes_per_month',
  'sellers',
  'file_bytes',
] as const;
export type QuotaKind = (typeof quotaKinds)[number];

/** The most of each kind that was set; an absent kind has no limit. */
export type QuotaLimits = Readonly<Partial<Record<QuotaKind, number>>>;

export interface QuotaState {
  readonly limits: QuotaLimits;
  readonly used: Readonly<Record<QuotaKind, number>>;
}

/** Quotas and usage of organizations. Methods reject when the database cannot be reached. */
export interface QuotaStore {
  state(scope: TenantScope, at: Instant): Promise<QuotaState>;
  /** Adds to the counts of the day. Answers the state if a quota is set: without one nothing is counted up. */
  addUsage(scope: TenantScope, amounts: UsageAmounts, at: Instant): Promise<QuotaState | undefined>;
  /** `null` removes a limit; a kind that is absent stays. */
  set(
    scope: TenantScope,
    limits: Readonly<Partial<Record<QuotaKind, number | null>>>,
    at: Instant,
  ): Promise<void>;
}

export function quotaStore(store: Store): QuotaStore {
  return {
    state: (scope, at) =>
      store.inTenant(scope, async (client) => usedUnder(client, await limitsOf(client), at)),
    addUsage: (scope, { calls, relays, import_bytes: bytes }, at) =>
      store.inTenant(scope, async (client) => {
        await client.query(
          `insert into usage_count (organization_id, day, calls, relays, import_bytes) values ($1, $2, $3, $4, $5)
           on conflict (organization_id, day) do update set calls = usage_count.calls + excluded.calls,
             relays = usage_count.relays + excluded.relays,
             import_bytes = usage_count.import_bytes + excluded.import_bytes`,
          [client.organizationId, dayOf(at), calls, relays, bytes],
        );
        const limits = await limitsOf(client);
        return Object.keys(limits).length === 0 ? undefined : usedUnder(client, limits, at);
      }),
    set: (scope, limits, at) =>
      store.inTenantModels(scope, async ({ organization_quota }) => {
        for (const [kind, most] of Object.entries(limits)) {
          const key = { organization_id: scope.organizationId, kind };
          if (most === null) await organization_quota.deleteMany({ where: key });
          else
            await organization_quota.upsert({
              where: { organization_id_kind: key },
              create: { ...key, most, set_at: new Date(at) },
              update: { most, set_at: new Date(at) },
            });
        }
      }),
  };
}

/** The day of an instant in UTC, `YYYY-MM-DD`. */
const dayOf = (at: Instant): string => new Date(at).toISOString().slice(0, 10);

async function limitsOf(client: TenantClient): Promise<QuotaLimits> {
  const { rows } = await client.query<{ kind: string; most: string }>(
    'select kind, most from organization_quota where organization_id = $1',
    [client.organizationId],
  );
  return Object.fromEntries(rows.map(({ kind, most }) => [kind, Number(most)] as const));
}

/** Removed sellers are counted no more; drafts are not counted yet. */
async function usedUnder(client: TenantClient, limits: QuotaLimits, at: Instant): Promise<QuotaState> {
  const day = dayOf(at);
  const month = `${day.slice(0, 7)}-01`;
  const { rows } = await client.query<Record<string, string | null>>(usage, [
    ...[client.organizationId, day, month],
    ...[new Date(`${day}T00:00:00Z`), new Date(`${month}T00:00:00Z`)],
  ]);
  const used = Object.fromEntries(quotaKinds.map((kind) => [kind, Number(rows[0]?.[kind] ?? 0)] as const));
  return { limits, used: used as Record<QuotaKind, number> };
}

const usage = `
  with counted as materialized (
    select day = $2 as is_today, calls, relays, import_bytes from usage_count
    where organization_id = $1 and day >= $3 and day <= $2
  )
  select
    sum(calls) filter (where is_today) as calls_per_day, sum(calls) as calls_per_month,
    sum(relays) filter (where is_today) as relays_per_day, sum(relays) as relays_per_month,
    sum(import_bytes) filter (where is_today) as import_bytes_per_day, sum(import_bytes) as import_bytes_per_month,
    (select count(*) from media_buy where organization_id = $1 and created_at >= $4) as buys_per_day,
    (select count(*) from media_buy where organization_id = $1 and created_at >= $5) as buys_per_month,
    (select count(*) from connection where organization_id = $1
       and state = any('{onboarding,live,failed,disabled,suspended}')) as sellers,
    coalesce((select sum(bytes) from finance_file where organization_id = $1), 0)
      + coalesce((select sum(stored) from job_file where organization_id = $1), 0) as file_bytes
  from counted`;
