import type { AdmissionCounts } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import type { Clock } from '@switchyard/values';
import type { Store } from '../core/open-store.js';

export interface KeySighting {
  /** Where it was used: requests to us, or webhooks. */
  readonly surface: 'request' | 'webhook';
  readonly agentUrl: string;
  readonly keyid: string;
}

export interface SeenKeys {
  /** True if this organization has not seen the key before: once among all processes. */
  isFirst(scope: TenantScope, sighting: KeySighting): Promise<boolean>;
  counts(scope: TenantScope): Promise<AdmissionCounts>;
}

interface CountsRow {
  readonly five: number;
  readonly hour: number;
  readonly day: number;
  readonly month: number;
  readonly oldest: Date | null;
  readonly hourly: number[] | null;
  readonly daily: number[] | null;
}

/** When each key of a counterparty was first used with an organization. */
export function seenKeys(store: Store, clock: Clock): SeenKeys {
  return {
    isFirst: (scope, { surface, agentUrl, keyid }) =>
      store.inTenant(scope, async (client) => {
        const { rowCount } = await client.query(
          `insert into seen_key (organization_id, surface, agent_url, keyid, first_at)
           values ($1, $2, $3, $4, $5) on conflict do nothing`,
          [scope.organizationId, surface, agentUrl, keyid, new Date(clock.now())],
        );
        return rowCount === 1;
      }),
    counts: (scope) =>
      store.inTenant(scope, async (client) => {
        const now = clock.now();
        const { rows } = await client.query<CountsRow>(
          `with aged as (select extract(epoch from $1::timestamptz - first_at) as age, first_at from seen_key
                         where first_at > $1::timestamptz - interval '90 days')
           select count(*) filter (where age < 300)::int as five, count(*) filter (where age < 3600)::int as hour,
                  count(*) filter (where age < 86400)::int as day,
                  count(*) filter (where age < 2592000)::int as month,
                  (select min(first_at) from seen_key) as oldest,
                  (select array_agg(n) from (select count(*)::int as n from aged where age >= 3600 and age < 2592000
                                             group by floor(age / 3600)) as each_hour) as hourly,
                  (select array_agg(n) from (select count(*)::int as n from aged where age >= 86400
                                             group by floor(age / 86400)) as each_day) as daily
           from aged`,
          [new Date(now)],
        );
        const [row] = rows;
        return {
          lastFiveMinutes: row?.five ?? 0,
          lastHour: row?.hour ?? 0,
          lastDay: row?.day ?? 0,
          last30Days: row?.month ?? 0,
          hourly: row?.hourly ?? [],
          daily: row?.daily ?? [],
          knownForMs: now - (row?.oldest?.getTime() ?? now),
        };
      }),
  };
}
