-- runs with: 20261205110000_figures_from_counts
-- Commitments that were made before they were spread over months counted in their own month alone, and those released by
-- then in none, whatever was booked later: the ledger did not verify, and nothing started. Each part counts at least what is
-- booked of it, in its months. The next change of a buy computes it from its facts again.

alter table spend_commitment no force row level security;
alter table package_spend no force row level security;
alter table spend_total no force row level security;

with booked as (
  select organization_id, media_buy_id, seller, currency, month, greatest(sum(amount_micros), 0) as micros
  from package_spend group by 1, 2, 3, 4, 5
), newest as (
  select distinct on (organization_id, media_buy_id, seller, currency)
    id, organization_id, media_buy_id, seller, currency, month, months,
    case when state = 'released' then 0 else amount_micros end as micros
  from spend_commitment where state <> 'waiting'
  order by organization_id, media_buy_id, seller, currency, created_at desc, id desc
), spread as (
  select n.id, b.month, b.micros
  from newest n join booked b using (organization_id, media_buy_id, seller, currency)
  where n.months is null
  union all
  -- What is not booked yet stays in the month of the commitment.
  select n.id, n.month, greatest(n.micros - sum(b.micros), 0)
  from newest n join booked b using (organization_id, media_buy_id, seller, currency)
  where n.months is null group by n.id, n.month, n.micros
), by_month as (
  select id, month, sum(micros)::bigint as micros from spread group by id, month having sum(micros) > 0
), whole as (
  select id, array_agg(month order by month) as months, array_agg(micros order by month) as micros,
         sum(micros)::bigint as amount
  from by_month group by id
)
update spend_commitment c
set state = case when c.state = 'released' then 'committed' else c.state end,
    amount_micros = w.amount, months = w.months, month_micros = w.micros
from whole w where c.id = w.id;

alter table spend_total force row level security;
alter table package_spend force row level security;
alter table spend_commitment force row level security;
