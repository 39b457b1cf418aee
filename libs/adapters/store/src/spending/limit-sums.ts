import { limitName, type LimitKind } from '@switchyard/buys';
import type { LimitSum } from '@switchyard/ledger';
import type { TenantScope } from '@switchyard/tenancy';
import type { Store } from '../core/open-store.js';
import type { TenantClient } from '../core/tenant-client.js';
import { tenantsOf } from '../core/tenants-of.js';

/** The check of an organization's limits against what the ledger has booked. */
export interface LimitChecks {
  /** The organizations whose commitments changed since their last check. */
  organizations(): Promise<readonly string[]>;
  /** Takes the work of one organization; false if another process was faster. */
  take(scope: TenantScope): Promise<boolean>;
  sums(scope: TenantScope): Promise<readonly LimitSum[]>;
  /** Makes the organization due for another check. */
  askAgain(scope: TenantScope): Promise<void>;
}

export function limitChecks(store: Store): LimitChecks {
  return {
    organizations: () => tenantsOf(store, 'organizations_with_limit_checks'),
    take: (scope) =>
      store.inTenantModels(scope, async ({ limit_check }) => {
        const where = { organization_id: scope.organizationId };
        return (await limit_check.deleteMany({ where })).count === 1;
      }),
    sums: (scope) => store.inTenant(scope, readLimitSums),
    askAgain: (scope) =>
      store.inTenantModels(scope, async ({ limit_check }) => {
        const data = { organization_id: scope.organizationId };
        await limit_check.createMany({ data, skipDuplicates: true });
      }),
  };
}

/**
 * For each limit, currency and period what counts, and what `package_spend` has of the buys that count there. What is
 * booked of a seller's part belongs to its commitments from the oldest, and the newest has the rest: several principals
 * may have committed to one part.
 */
export async function readLimitSums(client: TenantClient): Promise<readonly LimitSum[]> {
  const { rows } = await client.query<SumRow>(limitSums, [client.organizationId]);
  return rows.map(({ id, kind, key, currency, month, ...sums }) => ({
    limitId: id,
    limit: limitName({ kind, key }),
    currency,
    ...(month !== '' && { month }),
    committedMicros: BigInt(sums.committed),
    pendingMicros: BigInt(sums.pending),
    bookedMicros: BigInt(sums.booked),
  }));
}

interface SumRow extends Readonly<
  Record<'id' | 'key' | 'currency' | 'month' | 'committed' | 'pending' | 'booked', string>
> {
  readonly kind: LimitKind;
}

const limitSums = `
  with limited as materialized (
    select id, kind, key, per from spending_limit
    where organization_id = $1 and removed_at is null and kind not in ('each_buy', 'new_brand')
  ), booked as (
    select t.media_buy_id, t.seller, t.currency, period.month, sum(t.amount_micros) as amount
    from package_spend t cross join lateral (values (''), (t.month)) period(month)
    where t.organization_id = $1 and exists (select from limited)
    group by 1, 2, 3, 4
  ), share as (
    select c.principal_id, c.client_id, c.brand_domain, c.campaign_id, c.seller, c.currency, c.media_buy_id,
      b.month, b.amount as booked, now.amount,
      coalesce(sum(now.amount) over (part rows between unbounded preceding and 1 preceding), 0) as before,
      lead(c.id) over part is null as is_last
    from booked b
    join spend_commitment c on c.organization_id = $1 and c.media_buy_id = b.media_buy_id and c.seller = b.seller
      and c.currency = b.currency and c.state <> 'waiting'
    cross join lateral (
      select case when c.state = 'released' then 0 when b.month = '' then c.amount_micros else (
        select coalesce(sum(m.micros), 0)
        from unnest(coalesce(c.months, array[c.month]), coalesce(c.month_micros, array[c.amount_micros])) m(month, micros)
        where m.month = b.month) end as amount) now
    window part as (partition by c.media_buy_id, c.seller, c.currency, b.month order by c.created_at, c.id)
  ), spent as (
    select s.*, case when is_last then greatest(booked - before, least(booked, 0))
                     else least(amount, greatest(booked - before, 0)) end as spent
    from share s
  )
  select l.id, l.kind, l.key, s.currency, s.month, sum(s.spent)::text as booked,
    coalesce(max(t.committed_micros), 0)::text as committed, coalesce(max(t.pending_micros), 0)::text as pending
  from spent s
  cross join lateral (values ('organization', ''), ('principal', s.principal_id::text), ('client', s.client_id::text),
    ('brand', s.brand_domain), ('campaign', s.campaign_id::text), ('seller', s.seller)) d(kind, key)
  join limited l on l.kind = d.kind and l.key = d.key and (l.per is null) = (s.month = '')
  left join spend_total t on t.organization_id = $1 and t.kind = l.kind and t.key = l.key
    and t.currency = s.currency and t.month = s.month
  group by l.id, l.kind, l.key, s.currency, s.month order by l.id, s.currency, s.month`;
