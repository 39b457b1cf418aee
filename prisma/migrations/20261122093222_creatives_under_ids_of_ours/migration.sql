-- AlterTable
ALTER TABLE "creative_placement" ADD COLUMN     "seller_creative_id" TEXT;

-- A seller knows one creative under one id in an account.
create unique index creative_placement_seller_id on creative_placement (connection_id, seller_creative_id)
  where seller_creative_id is not null;

-- Which of these ids another tenant has, or is about to have, in the library of that account: as the seller knows them.
create or replace function creatives_elsewhere(own_connection uuid, creative_ids text[])
returns setof text
language sql stable security definer set search_path = public, pg_temp
as $$
  select p.creative_id
  from public.connection own
  join public.connection c on may_be_one_account(own, c)
  join public.creative_placement p on p.connection_id = c.id
  where own.id = own_connection and p.creative_id = any(creatives_elsewhere.creative_ids)
    and p.seller_creative_id is null and p.status not in ('failed', 'archived')
  union
  select p.seller_creative_id
  from public.connection own
  join public.connection c on may_be_one_account(own, c)
  join public.creative_placement p on p.connection_id = c.id
  where own.id = own_connection and p.seller_creative_id = any(creatives_elsewhere.creative_ids)
    and p.status not in ('failed', 'archived')
$$;

-- A claim on ids of creatives as the seller is to know them, made before any seller hears of them: others who would put the
-- same ids into what may be the same account wait here until this transaction has ended, and then see its placements.
-- Answers which creatives cannot have the id that is asked for: another tenant has it there, or the creative stands there
-- under another id already. What both have had before that was known stays both's.
drop function claim_creatives(uuid[], text[]);
create function claim_creatives(own_connections uuid[], own_creatives text[], own_names text[])
returns table (connection_id uuid, creative_id text)
language plpgsql volatile security definer set search_path = public, pg_temp
as $$
begin
  perform pg_advisory_xact_lock(locks.slot)
  from (
    select distinct hashtextextended(own.agent_url, hashtext(wanted.name) & 15) as slot
    from unnest(own_connections, own_names) as wanted(at, name)
    join public.connection own on own.id = wanted.at
    where exists (select from public.connection c where may_be_one_account(own, c))
    order by 1 offset 0
  ) as locks;
  return query
  with wanted as (
    select own.id, own.organization_id, own, asked.creative, asked.name
    from unnest(own_connections, own_creatives, own_names) as asked(at, creative, name)
    join public.connection own on own.id = asked.at
  ), mine as (
    select wanted.id, wanted.creative, coalesce(p.seller_creative_id, p.creative_id) as name
    from wanted
    join public.creative_placement p
      on p.organization_id = wanted.organization_id and p.creative_id = wanted.creative and p.connection_id = wanted.id
    where p.status not in ('failed', 'archived')
  )
  select wanted.id, wanted.creative from wanted join mine using (id, creative) where mine.name <> wanted.name
  union
  select wanted.id, wanted.creative
  from wanted
  join public.connection c on may_be_one_account(wanted.own, c)
  cross join lateral (
    select p.status from public.creative_placement p
    where p.organization_id = c.organization_id and p.connection_id = c.id and p.creative_id = wanted.name
      and p.seller_creative_id is null
    union all
    select p.status from public.creative_placement p
    where p.connection_id = c.id and p.seller_creative_id = wanted.name
  ) as theirs
  where theirs.status not in ('failed', 'archived')
    and not exists (select from mine where mine.id = wanted.id and mine.creative = wanted.creative);
end
$$;
revoke execute on function claim_creatives(uuid[], text[], text[]) from public;
comment on function claim_creatives(uuid[], text[], text[]) is 'for the application';
