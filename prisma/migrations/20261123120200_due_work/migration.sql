-- Due work of all tenants is found by one look. Each kind of work has one index that begins with the tenant, and that
-- holds nothing that is done: the look steps from tenant to tenant, so it reads one entry for each tenant that has
-- anything open, and nothing for all others.

-- 1. When a seller is asked again what it can do, and how often in a row it did not answer.
alter table "connection" add column "capabilities_due_at" timestamptz(3),
  add column "capabilities_failures" integer not null default 0;
alter table "connection" no force row level security;
update "connection" set "capabilities_due_at" = "capabilities_at" + interval '15 minutes' where "capabilities_at" is not null;
alter table "connection" force row level security;

-- 2. Whether a buy that its seller has named is watched for missing reports.
alter table "seller_buy" add column "is_watched" boolean not null default false;
alter table "seller_buy" no force row level security;
alter table "report_watch" no force row level security;
update "seller_buy" b set "is_watched" = true where exists (select from "report_watch" w where w."leg_id" = b."leg_id");
alter table "report_watch" force row level security;
alter table "seller_buy" force row level security;

-- 3. One index for each kind. `greatest` passes over null: what is leased is due again when its lease ends.
create index leg_due on leg (organization_id, next_poll_at)
  where status in ('pending', 'sent', 'submitted', 'working', 'input-required', 'auth-required') and next_poll_at is not null;
create index leg_without_outcome on leg (organization_id, created_at)
  where status in ('sent', 'submitted', 'working', 'input-required', 'auth-required');
create index approval_due on approval (organization_id, due_at) where state = 'answering' and due_at is not null;
create index creative_placement_due on creative_placement (organization_id, next_poll_at)
  where next_poll_at is not null and synced_at is not null;
create index signal_activation_due on signal_activation (organization_id, look_at)
  where state = 'activating' and look_at is not null;
create index inbox_event_waiting on inbox_event (organization_id, received_at) where state = 'received';
create index inbox_event_bytes on inbox_event (organization_id, received_at)
  where state in ('applied', 'stale', 'refused') and body_purged_at is null;
create index outbox_event_due on outbox_event (organization_id, greatest(due_at, lease_until)) where state = 'waiting';
create index outbox_event_ended on outbox_event (organization_id, ended_at)
  where ended_at is not null and state <> 'waiting';
create index report_stream_due on report_stream (organization_id, due_at) where due_at is not null;
create index report_watch_due on report_watch (organization_id, greatest(due_at, lease_until)) where due_at is not null;
create index seller_buy_unwatched on seller_buy (organization_id, created_at)
  where seller_media_buy_id is not null and not is_watched;
create index signing_key_rotating on signing_key (organization_id, created_at) where state in ('published', 'retiring');
create index operation_unanswered on operation (organization_id, created_at)
  where answer is null and status not in ('failed', 'rejected', 'canceled');
create index operation_of_the_market on operation (organization_id, settled_at)
  where task in ('get_products', 'get_signals') and settled_at is not null;
create index credential_of_callback on credential (organization_id, created_at) where kind = 'callback';
create index connection_capabilities_due on connection (organization_id, coalesce(capabilities_due_at, created_at))
  where state = 'live';

-- 4. The look. It answers which tenants have work of which kind, since when, and nothing of what it is.
comment on table approval is 'read before the tenant is known';
comment on table buy_change is 'read before the tenant is known';
comment on table buyer_registration is 'read before the tenant is known';
comment on table credential is 'read before the tenant is known';
comment on table inbox_event is 'read before the tenant is known';
comment on table operation is 'read before the tenant is known';
comment on table outbox_event is 'read before the tenant is known';
comment on table refused_signature is 'read before the tenant is known';
comment on table relay_request is 'read before the tenant is known';
comment on table report_stream is 'read before the tenant is known';
comment on table report_watch is 'read before the tenant is known';

create function due_work(kinds text[], befores timestamptz[])
returns table (kind text, organization_id uuid, since timestamptz)
language plpgsql stable security definer set search_path = public, pg_temp
-- Statistics of a table that was empty a minute ago must not lead past its index.
set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  rule record;
begin
  for rule in
    select asked.kind, asked.before, r.source, r.since, r.condition
    from unnest(kinds, befores) as asked (kind, before)
    left join (values
      ('legs', 'leg', 'next_poll_at',
       $r$status in ('pending', 'sent', 'submitted', 'working', 'input-required', 'auth-required') and next_poll_at is not null$r$),
      ('endless_legs', 'leg', 'created_at',
       $r$status in ('sent', 'submitted', 'working', 'input-required', 'auth-required')$r$),
      ('answers', 'approval', 'due_at', $r$state = 'answering' and due_at is not null$r$),
      ('creatives', 'creative_placement', 'next_poll_at', $r$next_poll_at is not null and synced_at is not null$r$),
      ('signals', 'signal_activation', 'look_at', $r$state = 'activating' and look_at is not null$r$),
      ('inbox', 'inbox_event', 'received_at', $r$state = 'received'$r$),
      ('changes', 'buy_change', 'at', $r$entry_id is null$r$),
      ('outbox', 'outbox_event', 'greatest(due_at, lease_until)', $r$state = 'waiting'$r$),
      ('report_streams', 'report_stream', 'due_at', $r$due_at is not null$r$),
      ('report_watches', 'report_watch', 'greatest(due_at, lease_until)', $r$due_at is not null$r$),
      ('unwatched_buys', 'seller_buy', 'created_at', $r$seller_media_buy_id is not null and not is_watched$r$),
      ('open_relays', 'relay_request', 'arrived_at', $r$state = 'open' and draft is not null$r$),
      ('custody', 'leg', 'created_at',
       $r$custody_at is null and not sealed and attempts > 0 and status not in ('held', 'pending', 'sent')$r$),
      ('capabilities', 'connection', 'coalesce(capabilities_due_at, created_at)', $r$state = 'live'$r$),
      ('key_rotation', 'signing_key', 'created_at', $r$state in ('published', 'retiring')$r$),
      ('unanswered', 'operation', 'created_at',
       $r$answer is null and status not in ('failed', 'rejected', 'canceled') and exists (
         select from buyer_registration b
         where b.organization_id = operation.organization_id and b.operation_id = operation.id and b.channel = 'task')$r$),
      ('old_reads', 'operation', 'settled_at', $r$task in ('get_products', 'get_signals') and settled_at is not null$r$),
      ('refused_signatures', 'refused_signature', 'refused_at', $r$true$r$),
      ('callback_secrets', 'credential', 'created_at', $r$kind = 'callback'$r$),
      ('old_bytes', 'inbox_event', 'received_at', $r$state in ('applied', 'stale', 'refused') and body_purged_at is null$r$),
      ('old_activity', 'outbox_event', 'ended_at', $r$ended_at is not null and state <> 'waiting'$r$)
    ) as r (kind, source, since, condition) on r.kind = asked.kind
  loop
    if rule.source is null then
      raise exception 'there is no due work of the kind %', rule.kind using errcode = 'invalid_parameter_value';
    end if;
    return query execute format(
      'with recursive tenant as (
         (select organization_id, %1$s as since from public.%2$I where %3$s order by organization_id, %1$s limit 1)
         union all
         select later.* from tenant cross join lateral (
           select organization_id, %1$s as since from public.%2$I
           where %3$s and organization_id > tenant.organization_id
           order by organization_id, %1$s limit 1
         ) as later
       )
       select %4$L::text, organization_id, since::timestamptz from tenant where since <= $1',
      rule.since, rule.source, rule.condition, rule.kind) using rule.before;
  end loop;
end
$$;
revoke execute on function due_work(text[], timestamptz[]) from public;
comment on function due_work(text[], timestamptz[]) is 'for the application';
select assign_lookup_functions();
