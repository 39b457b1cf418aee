-- runs with: 20261201040100_organizations_removed
-- Each hour the accounts and the scorecard of a live seller are looked at. `scorecard`: its own thresholds, {measure: number}.
alter table connection add column look_due_at timestamptz(3), add column scorecard jsonb not null default '{}';
-- The owner of the tables may be no superuser: it writes to the rows of all tenants.
alter table connection no force row level security;
update connection set look_due_at = now() + random() * interval '1 hour' where state <> 'removed';
alter table connection force row level security;
create index connection_look_due on connection (organization_id, coalesce(look_due_at, created_at)) where state = 'live';
-- When the rights of a creative end next. Those that are there already are read once, in the first round.
alter table creative add column rights_end_at timestamptz(3);
alter table creative no force row level security;
update creative set rights_end_at = now() where jsonb_path_exists(body, '$.**.rights[*].valid_until');
alter table creative force row level security;
create index creative_rights_end on creative (organization_id, rights_end_at) where rights_end_at is not null;
-- Cases that our own clock opens may be about an agent that is not connected.
alter table governance_case alter column connection_id drop not null;

-- The tenants that have due work of these kinds, each with the time since when.
drop function work_due(text[], timestamptz[]);
create function work_due(kinds text[], befores timestamptz[])
returns table (kind text, organization_id uuid, since timestamptz)
language plpgsql stable security definer set search_path = public, pg_temp
-- Statistics of a table that was empty a minute ago must not lead past its index.
set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  rule record;
begin
  for rule in
    select requested.kind, requested.before, r.source, r.since, r.condition
    from unnest(kinds, befores) as requested (kind, before)
    left join (values
      ('legs', 'leg', 'next_poll_at',
       $r$status in ('pending', 'sent', 'submitted', 'working', 'input-required', 'auth-required') and next_poll_at is not null$r$),
      ('endless_legs', 'leg', 'created_at',
       $r$status in ('sent', 'submitted', 'working', 'input-required', 'auth-required')$r$),
      ('answers', 'approval', 'due_at', $r$state = 'answering' and due_at is not null$r$),
      ('creatives', 'creative_placement', 'next_poll_at', $r$next_poll_at is not null and synced_at is not null$r$),
      ('signals', 'signal_activation', 'next_poll_at', $r$state = 'activating' and next_poll_at is not null$r$),
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
      ('seller_looks', 'connection', 'coalesce(look_due_at, created_at)', $r$state = 'live'$r$),
      ('seller_tokens', 'seller_authorization', 'greatest(due_at, lease_until)', $r$due_at is not null$r$),
      ('rights_ending', 'creative', 'rights_end_at', $r$rights_end_at is not null$r$),
      ('key_rotation', 'signing_key', 'created_at', $r$state in ('published', 'retiring')$r$),
      ('unanswered', 'operation', 'created_at',
       $r$answer is null and status not in ('failed', 'rejected', 'canceled') and exists (
         select from buyer_registration b
         where b.organization_id = operation.organization_id and b.operation_id = operation.id and b.channel = 'task')$r$),
      ('old_reads', 'operation', 'settled_at', $r$task in ('get_products', 'get_signals') and settled_at is not null$r$),
      ('refused_signatures', 'refused_signature', 'refused_at', $r$true$r$),
      ('callback_secrets', 'credential', 'created_at', $r$kind = 'callback'$r$),
      ('old_bytes', 'inbox_event', 'received_at', $r$state in ('applied', 'stale', 'refused') and body_purged_at is null$r$),
      ('old_activity', 'outbox_event', 'ended_at', $r$ended_at is not null and state <> 'waiting'$r$),
      ('internal_approvals', 'internal_approval', 'expires_at', $r$state = 'open'$r$),
      ('jobs', 'job', 'due_at', $r$waits_for = 'database' and ended_at is null$r$),
      ('jobs_at_sellers', 'job', 'due_at', $r$waits_for = 'sellers' and ended_at is null$r$),
      ('old_jobs', 'job', 'ended_at', $r$ended_at is not null$r$),
      ('notices', 'notice', 'at', $r$expanded_at is null$r$),
      ('notice_deliveries', 'notice_delivery', 'greatest(due_at, lease_until)', $r$state = 'waiting'$r$),
      ('old_notices', 'notice', 'at', $r$true$r$)
    ) as r (kind, source, since, condition) on r.kind = requested.kind
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

revoke execute on function work_due(text[], timestamptz[]) from public;
comment on function work_due(text[], timestamptz[]) is 'for the application';
comment on table creative is 'read before the tenant is known';
select assign_lookup_functions();
