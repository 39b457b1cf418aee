-- No version before this one runs with it: they name the old columns. Stop all processes first.
-- Columns and tables get the names that the code uses for them.
alter table accounting_period rename column reopen_asked_by to reopen_requested_by;
alter table approval rename column asked_at to requested_at;
alter index approval_organization_id_asked_at_id_idx rename to approval_organization_id_requested_at_id_idx;
alter index approval_organization_id_seller_asked_at_id_idx rename to approval_organization_id_seller_requested_at_id_idx;
alter index approval_organization_id_state_asked_at_idx rename to approval_organization_id_state_requested_at_idx;
alter table delegation rename column until_at to expires_at;
alter table event_decision rename column was to quarantine_reason;
alter table finance_file rename column kept to is_used;
alter index finance_file_organization_id_kept_created_at_idx rename to finance_file_organization_id_is_used_created_at_idx;
alter table internal_approval rename column asked_at to requested_at;
alter index internal_approval_organization_id_asked_at_id_idx rename to internal_approval_organization_id_requested_at_id_idx;
alter table journal_checkpoint rename column whole_at to fully_verified_at;
alter table kept_answer rename to stored_answer;
alter table stored_answer rename column question_hash to request_hash;
alter table stored_answer rename column seal to cursor_key;
alter index kept_answer_pkey rename to stored_answer_pkey;
alter index kept_answer_organization_id_expires_at_idx rename to stored_answer_organization_id_expires_at_idx;
alter table leg rename column told_at to reported_at;
alter table leg rename column earlier to refused_attempts;
alter table seller_buy rename column said to reported;
alter table signal_activation rename column said_at to estimated_at;
alter table signal_activation rename column seen_at to observed_at;
alter table signal_activation rename column look_at to next_poll_at;
alter table signal_activation rename column asked to is_requested;
alter table signal_activation rename column asked_by to requested_by;
alter index signal_activation_organization_id_look_at_idx rename to signal_activation_organization_id_next_poll_at_idx;
alter table told_period rename to reported_period;
alter table reported_period rename column told_at to reported_at;
alter index told_period_pkey rename to reported_period_pkey;
alter index told_period_organization_id_idx rename to reported_period_organization_id_idx;

-- Terms of packages: what the buyer requested, and what the seller reported. No change of a buy is published for it.
alter table buy_package no force row level security, disable trigger user;
update buy_package
set terms = terms - 'asked' - 'said' || jsonb_build_object('requested', terms -> 'asked', 'reported', terms -> 'said')
where terms ? 'asked';
alter table buy_package force row level security, enable trigger user;

-- Functions whose text names the columns. Only older versions call due_work.
drop function due_work(text[], timestamptz[]), signals_elsewhere(uuid, text[]), work_due(text[], timestamptz[]);

-- Where another tenant requested these signals over that account: the place, or all places while a request is open.
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
  where s.segment_id = any(signals_elsewhere.segment_ids) and s.is_requested and s.state <> 'off'
  union
  select l.outbound::jsonb ->> 'signal_agent_segment_id', '*'
  from public.leg l join others on others.id = l.connection_id
  where l.task = 'activate_signal' and l.status in ('pending', 'sent')
    and l.outbound::jsonb ->> 'signal_agent_segment_id' = any(signals_elsewhere.segment_ids)
$$;

-- The tenants that have due work of these kinds, each with the time since when.
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
      ('internal_approvals', 'internal_approval', 'expires_at', $r$state = 'open'$r$)
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

revoke execute on function signals_elsewhere(uuid, text[]), work_due(text[], timestamptz[]) from public;
comment on function signals_elsewhere(uuid, text[]) is 'for the application';
comment on function work_due(text[], timestamptz[]) is 'for the application';
select assign_lookup_functions();
