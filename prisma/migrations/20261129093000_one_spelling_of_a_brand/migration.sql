-- Every spelling of a brand's domain is stored as one: small letters, no dot at the end, no first label "www" where two
-- labels or more are left (docs/protocol/media-buys.md#spellings-of-a-brand). What was stored under another spelling
-- matched no new buy, and a limit on it held nothing back.
-- All processes must be stopped: an older one would store other spellings beside these.
--
-- Where two rows become the same, nothing is loosened:
--   limits: one that another of the same brand, period and currency makes superfluous is removed. Others (in two
--     currencies, or a lower one that asks beside a higher one that refuses) stay beside each other: each holds.
--   roles: the older one stays, the same later one is removed.
--   brands, rules, billing: the row with the domain itself stays, or the oldest; the other stays as it is and is named.
--   accounts: the same, and the account that stays takes over a hold.
-- If two clients have a brand under two spellings, everything of the second spelling but limits and commitments stays as
-- it is: nobody sees or spends more by a role for the other client's brand.
alter table brand no force row level security;
alter table campaign no force row level security;
alter table campaign_rule no force row level security;
alter table access_grant no force row level security;
alter table invitation no force row level security;
alter table principal no force row level security;
alter table principal_account no force row level security;
alter table off_protocol_billing no force row level security;
alter table operation no force row level security;
alter table media_buy no force row level security;
alter table spend_commitment no force row level security;
alter table spend_total no force row level security;
alter table spending_limit no force row level security;
alter table internal_approval no force row level security;
alter table control_request no force row level security;
alter table reconciliation_break no force row level security;

create function pg_temp.one_spelling(text) returns text language sql immutable
as $$ select regexp_replace(regexp_replace(lower($1), '\.$', ''), '^(?:www\.)+(?=[^.]+\.[^.])', '') $$;

-- Brands that stay as they are. Apart: the spelling belongs to another client.
create temporary table stays on commit drop as
select o.id, o.organization_id, o.domain, bool_or(k.client_id <> o.client_id) as apart
from brand o join brand k on k.organization_id = o.organization_id and k.id <> o.id
  and pg_temp.one_spelling(k.domain) = pg_temp.one_spelling(o.domain)
  and (k.brand_id = o.brand_id or k.client_id <> o.client_id)
where o.domain <> pg_temp.one_spelling(o.domain)
  and (k.domain <> pg_temp.one_spelling(k.domain), k.created_at, k.id) < (true, o.created_at, o.id)
group by o.id, o.organization_id, o.domain;

create function pg_temp.is_folded(organization uuid, domain text) returns boolean language sql stable
as $$
  select domain <> pg_temp.one_spelling(domain) and not exists (
    select from pg_temp.stays s where s.organization_id = organization and s.domain = is_folded.domain and s.apart)
$$;

update brand set domain = pg_temp.one_spelling(domain)
where domain <> pg_temp.one_spelling(domain) and id not in (select id from stays)
  and pg_temp.is_folded(organization_id, domain);
update operation set brand_domain = pg_temp.one_spelling(brand_domain)
where pg_temp.is_folded(organization_id, brand_domain);
update media_buy set brand_domain = pg_temp.one_spelling(brand_domain)
where pg_temp.is_folded(organization_id, brand_domain);
update internal_approval set brand_domain = pg_temp.one_spelling(brand_domain)
where pg_temp.is_folded(organization_id, brand_domain);
update reconciliation_break set brand_domain = pg_temp.one_spelling(brand_domain)
where pg_temp.is_folded(organization_id, brand_domain);
update principal set brand_domain = pg_temp.one_spelling(brand_domain)
where pg_temp.is_folded(organization_id, brand_domain);
update control_request set brand_domain = pg_temp.one_spelling(brand_domain)
where pg_temp.is_folded(organization_id, brand_domain);
update campaign set brand_domain = pg_temp.one_spelling(brand_domain)
where pg_temp.is_folded(organization_id, brand_domain);

-- The trigger of commitments moves their sums.
update spend_commitment set brand_domain = pg_temp.one_spelling(brand_domain)
where brand_domain <> pg_temp.one_spelling(brand_domain);
update spending_limit set key = pg_temp.one_spelling(key)
where kind = 'brand' and key <> pg_temp.one_spelling(key);
update spending_limit l set removed_at = now()
where l.kind = 'brand' and l.removed_at is null and exists (
  select from spending_limit o
  where o.organization_id = l.organization_id and o.kind = 'brand' and o.key = l.key and o.removed_at is null
    and o.per is not distinct from l.per and o.currency = l.currency and o.id <> l.id
    and o.amount_micros <= l.amount_micros and (o.above = 'refuse' or l.above = 'ask')
    and ((o.amount_micros, o.above) <> (l.amount_micros, l.above) or (o.created_at, o.id) < (l.created_at, l.id)));

update access_grant set scope_id = pg_temp.one_spelling(scope_id)
where scope_kind = 'brand' and pg_temp.is_folded(organization_id, scope_id);
update access_grant g set removed_at = now()
where g.scope_kind = 'brand' and g.removed_at is null and exists (
  select from access_grant o
  where o.organization_id = g.organization_id and o.scope_kind = 'brand' and o.scope_id = g.scope_id
    and o.removed_at is null and o.role = g.role and o.principal_id is not distinct from g.principal_id
    and o.team_id is not distinct from g.team_id and (o.created_at, o.id) < (g.created_at, g.id));
update invitation set scope_id = pg_temp.one_spelling(scope_id)
where scope_kind = 'brand' and pg_temp.is_folded(organization_id, scope_id);

update control_request set act = jsonb_set(act, '{limit,key}', to_jsonb(pg_temp.one_spelling(act #>> '{limit,key}')))
where kind = 'set_limit' and state = 'open' and act #>> '{limit,kind}' = 'brand';
update control_request set act = jsonb_set(act, '{grant,scope,id}', to_jsonb(pg_temp.one_spelling(act #>> '{grant,scope,id}')))
where kind = 'add_grant' and state = 'open' and act #>> '{grant,scope,kind}' = 'brand'
  and pg_temp.is_folded(organization_id, act #>> '{grant,scope,id}');
update control_request set act = jsonb_set(act, '{brand,domain}', to_jsonb(pg_temp.one_spelling(act #>> '{brand,domain}')))
where kind = 'add_brand' and state = 'open';

update principal_account k set hold = o.hold, hold_reason = o.hold_reason, held_at = o.held_at
from principal_account o
where o.organization_id = k.organization_id and o.principal_id = k.principal_id and o.id <> k.id
  and o.brand_id = k.brand_id and o.operator = k.operator and o.closed_at is null and k.closed_at is null
  and o.hold is not null and k.hold is null and o.brand_domain <> k.brand_domain
  and pg_temp.one_spelling(o.brand_domain) = pg_temp.one_spelling(k.brand_domain)
  and pg_temp.is_folded(o.organization_id, o.brand_domain);

-- Row by row, so that of two other spellings the older one is folded and the second stays.
do $$
declare
  r record;
begin
  for r in select id, brand_domain from principal_account
    where pg_temp.is_folded(organization_id, brand_domain) order by created_at, id
  loop
    begin
      update principal_account set brand_domain = pg_temp.one_spelling(brand_domain) where id = r.id;
    exception when unique_violation then
      raise notice 'Account % keeps the brand domain %: its principal has another one.', r.id, r.brand_domain;
    end;
  end loop;
  for r in select id, brand_domain from campaign_rule
    where pg_temp.is_folded(organization_id, brand_domain) order by created_at, id
  loop
    begin
      update campaign_rule set brand_domain = pg_temp.one_spelling(brand_domain) where id = r.id;
    exception when unique_violation then
      raise notice 'Campaign rule % keeps the brand domain %: another rule has it.', r.id, r.brand_domain;
    end;
  end loop;
  for r in select ctid as place, brand_domain from off_protocol_billing
    where pg_temp.is_folded(organization_id, brand_domain) order by brand_domain
  loop
    begin
      update off_protocol_billing set brand_domain = pg_temp.one_spelling(brand_domain) where ctid = r.place;
    exception when unique_violation then
      raise notice 'Billing of the brand domain % stays as it is: another row has it.', r.brand_domain;
    end;
  end loop;
  for r in select * from stays order by organization_id, domain loop
    raise notice 'Brand % of organization % keeps its domain %: it was entered under another spelling as well.',
      r.id, r.organization_id, r.domain;
  end loop;
end
$$;
drop function pg_temp.is_folded(uuid, text);
drop function pg_temp.one_spelling(text);

alter table brand force row level security;
alter table campaign force row level security;
alter table campaign_rule force row level security;
alter table access_grant force row level security;
alter table invitation force row level security;
alter table principal force row level security;
alter table principal_account force row level security;
alter table off_protocol_billing force row level security;
alter table operation force row level security;
alter table media_buy force row level security;
alter table spend_commitment force row level security;
alter table spend_total force row level security;
alter table spending_limit force row level security;
alter table internal_approval force row level security;
alter table control_request force row level security;
alter table reconciliation_break force row level security;
