import type { TenantScope } from '@switchyard/tenancy';
import type { Store } from '../core/open-store.js';

/** What a newcomer does first, in this order. */
export const firstDeeds = [
  'ask_market',
  'plan_over_budget',
  'repair_plan',
  'buy_with_refusal',
  'place_elsewhere',
  'resolve_difference',
  'make_report',
] as const;
export type FirstDeed = (typeof firstDeeds)[number];

/**
 * Which of the first deeds an organization has done, by what is stored of it. A plan that went over the budget of its
 * campaign and was repaired no longer says so: the repair stands for both.
 */
export async function readFirstDeeds(store: Store, scope: TenantScope): Promise<ReadonlySet<FirstDeed>> {
  const [row] = await store.inTenant(
    scope,
    async (client) => (await client.query<Record<FirstDeed, boolean>>(done, [client.organizationId])).rows,
  );
  const isDone = (deed: FirstDeed): boolean =>
    row?.[deed] === true || (deed === 'plan_over_budget' && row?.repair_plan === true);
  return new Set(firstDeeds.filter(isDone));
}

/** Plans of three lines and more, and whether they cost more than their campaign has. */
const done = `
  with plan as (
    select p.version, p.media_buy_id,
      coalesce((p.totals ->> m.currency)::numeric, 0) * 1000000 > m.budget_micros as is_over
    from buy_plan p join campaign m on m.id = p.campaign_id
    where p.organization_id = $1 and p.lines >= 3 and m.budget_micros is not null
  )
  select
    exists (select from offered_product where organization_id = $1) as ask_market,
    exists (select from plan where is_over) as plan_over_budget,
    exists (select from plan where version > 1 and not is_over) as repair_plan,
    exists (select from seller_buy
            where organization_id = $1 and status = 'rejected' and seller_media_buy_id is null) as buy_with_refusal,
    exists (select from buy_plan
            where organization_id = $1 and refused_in is not null and media_buy_id is not null) as place_elsewhere,
    exists (select from reconciliation_break where organization_id = $1 and state = 'resolved') as resolve_difference,
    exists (select from made_document where organization_id = $1) as make_report`;
