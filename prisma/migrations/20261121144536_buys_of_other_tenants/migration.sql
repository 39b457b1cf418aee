-- Two tenants may have connections to one seller, and share an account there. What the one tenant must know of the
-- other to stay out of its way is a single word: `taken` where another tenant has that very buy, `shared` where
-- another tenant has a connection to the same address, else `own`. Nothing of the other tenant is told.
create function stands_elsewhere(own_connection uuid, seller_buy text)
returns text
language sql stable security definer set search_path = public, pg_temp
as $$
  select case
    when exists (
      select from public.seller_buy b
      join public.connection c on c.id = b.connection_id
      where c.agent_url = own.agent_url and c.organization_id <> own.organization_id
        and b.seller_media_buy_id = stands_elsewhere.seller_buy
    ) then 'taken'
    when exists (
      select from public.connection c
      where c.agent_url = own.agent_url and c.organization_id <> own.organization_id
    ) then 'shared'
    else 'own'
  end
  from public.connection own where own.id = own_connection
$$;
revoke execute on function stands_elsewhere(uuid, text) from public;
comment on function stands_elsewhere(uuid, text) is 'for the application';
