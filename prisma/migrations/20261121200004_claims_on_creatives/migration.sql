-- A claim on creative ids, made before any seller hears of them: others who would put the same ids into what may be the same
-- account wait here until this transaction has ended, and then see its placements. Answers what another tenant has there
-- already, or is about to; what both have had before that was known stays both's. The locks are few however long a
-- request is, and none is taken where nobody else has a connection to the address.
create function claim_creatives(own_connections uuid[], own_creatives text[])
returns table (connection_id uuid, creative_id text)
language plpgsql volatile security definer set search_path = public, pg_temp
as $$
begin
  perform pg_advisory_xact_lock(locks.slot)
  from (
    select distinct hashtextextended(own.agent_url, hashtext(wanted.creative) & 15) as slot
    from unnest(own_connections, own_creatives) as wanted(at, creative)
    join public.connection own on own.id = wanted.at
    where exists (select from public.connection c where may_be_one_account(own, c))
    order by 1 offset 0
  ) as locks;
  return query
  select distinct own.id, p.creative_id
  from unnest(own_connections, own_creatives) as wanted(at, creative)
  join public.connection own on own.id = wanted.at
  join public.connection c on may_be_one_account(own, c)
  join public.creative_placement p
    on p.organization_id = c.organization_id and p.creative_id = wanted.creative and p.connection_id = c.id
  where p.status not in ('failed', 'archived')
    and not exists (
      select from public.creative_placement mine
      where mine.organization_id = own.organization_id and mine.creative_id = wanted.creative
        and mine.connection_id = own.id and mine.synced_at is not null and mine.status <> 'archived');
end
$$;
revoke execute on function claim_creatives(uuid[], text[]) from public;
comment on function claim_creatives(uuid[], text[]) is 'for the application';
