-- AlterTable
ALTER TABLE "creative_assignment" ADD COLUMN     "approval_as_of" TIMESTAMPTZ(3),
ADD COLUMN     "approval_reason" TEXT,
ADD COLUMN     "approval_status" TEXT;

-- AlterTable
ALTER TABLE "signal_activation" ADD COLUMN     "asked" BOOLEAN NOT NULL DEFAULT false;

-- Two tenants may share one account at a seller, and then the seller takes what the one has for the other's as well. What
-- a tenant must know to stay out of the other's way are single words about things that it names itself; nothing of the
-- other tenant is told.

-- Whether two connections to one address may be one account there. Only two accounts that are both named, and
-- differently, are certainly two.
create function may_be_one_account(one public.connection, other public.connection)
returns boolean
language sql immutable set search_path = public, pg_temp
as $$
  select one.agent_url = other.agent_url and one.organization_id <> other.organization_id
    and (one.account ->> 'accountId' = other.account ->> 'accountId'
      or one.account ->> 'accountId' is null or other.account ->> 'accountId' is null)
$$;
revoke execute on function may_be_one_account(public.connection, public.connection) from public;

-- Whether another tenant may share the account of this connection.
create function shares_account(own_connection uuid)
returns boolean
language sql stable security definer set search_path = public, pg_temp
as $$
  select exists (
    select from public.connection own
    join public.connection c on may_be_one_account(own, c)
    where own.id = own_connection
  )
$$;
revoke execute on function shares_account(uuid) from public;
comment on function shares_account(uuid) is 'for the application';

-- Which of these creatives another tenant has put, or is about to put, into the library of that account.
create function creatives_elsewhere(own_connection uuid, creative_ids text[])
returns setof text
language sql stable security definer set search_path = public, pg_temp
as $$
  select distinct p.creative_id
  from public.connection own
  join public.connection c on may_be_one_account(own, c)
  join public.creative_placement p on p.connection_id = c.id
  where own.id = own_connection and p.creative_id = any(creatives_elsewhere.creative_ids)
    and p.status not in ('failed', 'archived')
$$;
revoke execute on function creatives_elsewhere(uuid, text[]) from public;
comment on function creatives_elsewhere(uuid, text[]) is 'for the application';

-- Where another tenant has asked for these signals over that account: the place, or all places while it is being asked.
create function signals_elsewhere(own_connection uuid, segment_ids text[])
returns table (segment_id text, target_key text)
language sql stable security definer set search_path = public, pg_temp
as $$
  with others as (
    select c.id from public.connection own
    join public.connection c on may_be_one_account(own, c)
    where own.id = own_connection
  )
  select s.segment_id, s.target_key
  from public.signal_activation s join others on others.id = s.connection_id
  where s.segment_id = any(signals_elsewhere.segment_ids) and s.asked and s.state <> 'off'
  union
  select l.outbound::jsonb ->> 'signal_agent_segment_id', '*'
  from public.leg l join others on others.id = l.connection_id
  where l.task = 'activate_signal' and l.status in ('pending', 'sent')
    and l.outbound::jsonb ->> 'signal_agent_segment_id' = any(signals_elsewhere.segment_ids)
$$;
revoke execute on function signals_elsewhere(uuid, text[]) from public;
comment on function signals_elsewhere(uuid, text[]) is 'for the application';
