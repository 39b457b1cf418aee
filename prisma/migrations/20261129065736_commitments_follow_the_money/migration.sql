-- Commitments stay until a seller's final figures, follow what is booked and invoiced, and are spread over months.
-- All processes must be stopped: an older one would change an amount and leave its months as they were.

alter table spend_commitment add column months text[], add column month_micros bigint[];

create table spend_part (
  organization_id uuid not null,
  seller_buy_id uuid not null,
  media_buy_id text not null,
  state text not null,
  since timestamptz(3) not null,
  ended_by uuid,
  ended_at timestamptz(3),
  end_reason text,
  constraint spend_part_pkey primary key (organization_id, seller_buy_id)
);
create index spend_part_organization_id_state_since_seller_buy_id_idx
  on spend_part (organization_id, state, since, seller_buy_id);
select stand_under_tenancy('spend_part');

-- What was released before this rule stays released: parts that were canceled or rejected by now are final. They count
-- with what is booked or invoiced of them from now on.
alter table seller_buy no force row level security;
alter table spend_commitment no force row level security;
alter table spend_part no force row level security;
insert into spend_part (organization_id, seller_buy_id, media_buy_id, state, since, ended_at, end_reason)
select s.organization_id, s.id, s.media_buy_id, 'final', coalesce(s.status_as_of, s.updated_at), now(),
       'It was over before commitments stayed until the final figures.'
from seller_buy s
where s.status in ('canceled', 'rejected')
  and exists (select from spend_commitment c where c.organization_id = s.organization_id and c.media_buy_id = s.media_buy_id);
alter table spend_part force row level security;
alter table spend_commitment force row level security;
alter table seller_buy force row level security;

create table limit_check (
  organization_id uuid not null,
  constraint limit_check_pkey primary key (organization_id)
);
select stand_under_tenancy('limit_check');
comment on table limit_check is 'read before the tenant is known';

-- Which organizations have changed commitments since their last check.
create function organizations_with_limit_checks() returns setof uuid
language sql stable security definer set search_path = public, pg_temp
as $$ select organization_id from public.limit_check $$;
revoke execute on function organizations_with_limit_checks() from public;
comment on function organizations_with_limit_checks() is 'for the application';

-- Every commitment is counted by whoever writes it, whatever the way: the sums cannot differ from the rows. In all it
-- counts with its amount, in a month with what is spread there.
create or replace function count_commitment() returns trigger
language plpgsql set search_path = public, pg_temp
as $$
begin
  insert into spend_total as t (organization_id, kind, key, currency, month, pending_micros, committed_micros)
  select c.organization_id, d.kind, d.key, c.currency, m.month,
         sum(case when c.state = 'pending' then c.sign * m.micros else 0 end),
         sum(case when c.state = 'committed' then c.sign * m.micros else 0 end)
  from (
    select new.organization_id, new.principal_id, new.client_id, new.brand_domain, new.campaign_id, new.seller,
           new.currency, new.month, new.state, new.amount_micros, new.months, new.month_micros, 1 as sign
    where tg_op <> 'DELETE'
    union all
    select old.organization_id, old.principal_id, old.client_id, old.brand_domain, old.campaign_id, old.seller,
           old.currency, old.month, old.state, old.amount_micros, old.months, old.month_micros, -1
    where tg_op <> 'INSERT'
  ) as c
  cross join lateral (values ('organization', ''), ('principal', c.principal_id::text), ('client', c.client_id::text),
    ('brand', c.brand_domain), ('campaign', c.campaign_id::text), ('seller', c.seller)) as d (kind, key)
  cross join lateral (
    select '' as month, c.amount_micros as micros
    union all
    select * from unnest(coalesce(c.months, array[c.month]), coalesce(c.month_micros, array[c.amount_micros]))
  ) as m (month, micros)
  where d.key is not null
  group by c.organization_id, d.kind, d.key, c.currency, m.month
  having sum(case when c.state = 'pending' then c.sign * m.micros else 0 end) <> 0
      or sum(case when c.state = 'committed' then c.sign * m.micros else 0 end) <> 0
  order by 2, 3, 4, 5
  on conflict (organization_id, kind, key, currency, month) do update
  set pending_micros = t.pending_micros + excluded.pending_micros,
      committed_micros = t.committed_micros + excluded.committed_micros;
  return null;
end
$$;

select assign_lookup_functions();
