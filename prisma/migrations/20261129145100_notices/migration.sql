-- runs with: 20261129141616_packages_by_zone
-- CreateTable
CREATE TABLE "notice" (
    "organization_id" UUID NOT NULL,
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "kind" TEXT NOT NULL,
    "object_kind" TEXT NOT NULL,
    "object_id" TEXT NOT NULL,
    "data" JSONB NOT NULL,
    "addressee_id" UUID,
    "needs" TEXT,
    "principal_id" UUID,
    "client_id" UUID,
    "brand_domain" TEXT,
    "campaign_id" UUID,
    "dedupe_key" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "expanded_at" TIMESTAMPTZ(3),

    CONSTRAINT "notice_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "notice_delivery" (
    "organization_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "notice_id" UUID NOT NULL,
    "recipient_id" UUID NOT NULL,
    "channel" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "read_at" TIMESTAMPTZ(3),
    "digest_at" TIMESTAMPTZ(3),
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "lease_until" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "reason" TEXT,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "notice_delivery_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "notice_endpoint" (
    "organization_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "channel" TEXT NOT NULL,
    "origin" TEXT NOT NULL,
    "credential_id" UUID NOT NULL,
    "kinds" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "state" TEXT NOT NULL,
    "failing_since" TIMESTAMPTZ(3),
    "last_sent_at" TIMESTAMPTZ(3),
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "notice_endpoint_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "notice_setting" (
    "organization_id" UUID NOT NULL,
    "principal_id" UUID NOT NULL,
    "rules" JSONB NOT NULL DEFAULT '{}',
    "time_zone" TEXT,
    "digest_hour" INTEGER NOT NULL DEFAULT 8,
    "quiet_from" INTEGER,
    "quiet_to" INTEGER,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "notice_setting_pkey" PRIMARY KEY ("organization_id","principal_id")
);

-- CreateIndex
CREATE INDEX "notice_organization_id_at_idx" ON "notice"("organization_id", "at");

-- CreateIndex
CREATE UNIQUE INDEX "notice_organization_id_dedupe_key_key" ON "notice"("organization_id", "dedupe_key");

-- CreateIndex
CREATE INDEX "notice_delivery_organization_id_recipient_id_channel_at_id_idx" ON "notice_delivery"("organization_id", "recipient_id", "channel", "at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "notice_delivery_organization_id_notice_id_recipient_id_chan_key" ON "notice_delivery"("organization_id", "notice_id", "recipient_id", "channel");

-- CreateIndex
CREATE INDEX "notice_endpoint_organization_id_created_at_id_idx" ON "notice_endpoint"("organization_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "notice_endpoint_organization_id_name_key" ON "notice_endpoint"("organization_id", "name");

create index notice_to_hand_out on notice (organization_id, at) where expanded_at is null;
create index notice_delivery_due on notice_delivery (organization_id, greatest(due_at, lease_until)) where state = 'waiting';
create index notice_delivery_digest on notice_delivery (organization_id, recipient_id, digest_at) where state = 'waiting';
select stand_under_tenancy('notice');
select stand_under_tenancy('notice_delivery');
select stand_under_tenancy('notice_endpoint');
select stand_under_tenancy('notice_setting');
do $$
begin
  perform publish_changes('notice_delivery', 'notice', 'n.notice_id', 'n.recipient_id, null, null, null',
    created => $c$new.channel = 'console'$c$,
    updated => $c$new.channel = 'console' and $c$ || columns_changed('read_at'));
end
$$;

-- Makes a trigger that writes a notice in the transaction of what happened. `event` is insert or update, `condition` is
-- over `new` and `old`; the other texts are expressions over the row `n` and the tables of `joins`. `key` without the
-- kind: facts with one key are told once.
create function give_notice(
  source name, event text, condition text, notice_kind text, object_kind text, object text, key text, happened text,
  data text, addressee text default 'null', place text default 'null, null, null, null', joins text default ''
)
returns void
language plpgsql set search_path = public, pg_temp
as $body$
declare
  name_of_it constant name := 'notice_' || replace(notice_kind, '.', '_') || '_of_' || source || '_' || event;
begin
  execute format(
    $f$create function public.%1$I() returns trigger language plpgsql as $b$
    declare
      n public.%2$I;
    begin
      if nullif(current_setting('switchyard.organization_id', true), '') is null then
        return null;
      end if;
      n := new;
      insert into public.notice (organization_id, kind, object_kind, object_id, data, addressee_id, principal_id,
        client_id, brand_domain, campaign_id, dedupe_key, at)
      select n.organization_id, %3$L, %4$L, (%5$s)::text, jsonb_strip_nulls(%6$s), %7$s, %8$s, %3$L || ':' || (%9$s)::text, %10$s
      from (values (1)) as one %11$s
      on conflict (organization_id, dedupe_key) do nothing;
      return null;
    end
    $b$$f$, name_of_it, source, notice_kind, object_kind, object, data, addressee, place, key, happened, joins);
  execute format('revoke execute on function public.%I() from public', name_of_it);
  execute format('create trigger %1$I after %2$s on public.%3$I for each row when (%4$s) execute function public.%1$I()',
    name_of_it, event, source, condition);
end
$body$;
revoke execute on function give_notice(name,text,text,text,text,text,text,text,text,text,text,text) from public;

do $$
declare
  own constant text := 'n.principal_id, n.client_id, n.brand_domain, n.campaign_id';
  of_operation constant text := 'o.principal_id, o.client_id, o.brand_domain, o.campaign_id';
  operation constant text := 'left join public.operation o on o.id = n.operation_id';
  amount constant text := $c$'amount_micros', n.amount_micros::text, 'currency', n.currency$c$;
begin
  perform give_notice('alarm', 'insert', 'true', 'alarm.raised', 'alarm', 'n.id', 'n.id', 'n.first_at',
    $c$jsonb_build_object('alarm', n.kind, 'subject', n.subject)$c$);

  perform give_notice('internal_approval', 'insert', $c$new.state = 'open'$c$, 'approval.requested', 'approval', 'n.id', 'n.id',
    'n.requested_at', 'jsonb_build_object(''operation_id'', n.operation_id, ''task'', n.task, ''reason'', n.reason, '
      || '''expires_at'', to_char(n.expires_at at time zone ''UTC'', ''YYYY-MM-DD"T"HH24:MI:SS"Z"''), ' || amount || ')', place => own);
  perform give_notice('internal_approval', 'update',
    $c$old.state = 'open' and new.state in ('approved', 'denied', 'expired', 'failed')$c$, 'approval.decided', 'approval',
    'n.id', 'n.id', 'coalesce(n.decided_at, n.expires_at)',
    'jsonb_build_object(''operation_id'', n.operation_id, ''task'', n.task, ''state'', n.state, ''reason'', n.decision_reason, '
      || amount || ')', 'n.principal_id', own);
  perform give_notice('control_request', 'insert', $c$new.state = 'open'$c$, 'approval.requested', 'approval', 'n.id', 'n.id',
    'n.requested_at', 'jsonb_build_object(''control'', n.kind, ''subject'', n.subject, ''reason'', n.reason, '
      || '''expires_at'', to_char(n.expires_at at time zone ''UTC'', ''YYYY-MM-DD"T"HH24:MI:SS"Z"''), ' || amount || ')', place => own);
  perform give_notice('control_request', 'update',
    $c$old.state = 'open' and new.state in ('approved', 'denied', 'failed')$c$, 'approval.decided', 'approval',
    'n.id', 'n.id', 'coalesce(n.decided_at, n.requested_at)',
    'jsonb_build_object(''control'', n.kind, ''subject'', n.subject, ''state'', n.state, ''reason'', n.decision_reason, '
      || amount || ')', 'n.principal_id', own);
  perform give_notice('approval', 'insert', $c$new.state = 'open'$c$, 'approval.requested', 'approval', 'n.id', 'n.id',
    'n.requested_at',
    $c$jsonb_build_object('operation_id', n.operation_id, 'task', n.task, 'seller', n.seller, 'reason', n.reason)$c$,
    place => of_operation, joins => operation);

  perform give_notice('operation', 'update',
    $c$new.status in ('failed', 'rejected') and old.status is distinct from new.status
       and new.task in ('create_media_buy', 'update_media_buy')$c$,
    'buy.failed', 'operation', 'n.id', 'n.id', 'coalesce(n.settled_at, n.created_at)',
    $c$jsonb_build_object('task', n.task, 'status', n.status)$c$, place => own);

  -- A seller that fails again within the hour is told once.
  perform give_notice('connection_health', 'update', $c$new.breaker = 'open' and old.breaker = 'closed'$c$,
    'seller.failing', 'seller', 'c.slug', $c$n.connection_id || ':' || date_trunc('hour', n.updated_at at time zone 'UTC')$c$,
    'n.updated_at', $c$jsonb_build_object('seller', c.slug, 'code', n.last_failure_code)$c$,
    joins => 'join public.connection c on c.id = n.connection_id');
  perform give_notice('connection_health', 'insert', $c$new.breaker = 'open'$c$,
    'seller.failing', 'seller', 'c.slug', $c$n.connection_id || ':' || date_trunc('hour', n.updated_at at time zone 'UTC')$c$,
    'n.updated_at', $c$jsonb_build_object('seller', c.slug, 'code', n.last_failure_code)$c$,
    joins => 'join public.connection c on c.id = n.connection_id');
  perform give_notice('connection_health', 'update', $c$new.breaker = 'closed' and old.breaker <> 'closed'$c$,
    'seller.recovered', 'seller', 'c.slug', $c$n.connection_id || ':' || date_trunc('hour', n.updated_at at time zone 'UTC')$c$,
    'n.updated_at', $c$jsonb_build_object('seller', c.slug)$c$,
    joins => 'join public.connection c on c.id = n.connection_id');
  perform give_notice('credential', 'update', 'new.last_error_at is not null and old.last_error_at is null and new.seller is not null',
    'credential.refused', 'seller', 'n.seller', $c$n.credential_id || ':' || n.version || ':' || n.last_error_at$c$,
    'n.last_error_at', $c$jsonb_build_object('seller', n.seller, 'code', n.last_error_code)$c$);

  -- Many may come at once: one notice for each seller and hour.
  perform give_notice('inbox_event', 'insert', $c$new.state = 'quarantined'$c$, 'webhook.quarantined', 'event', 'n.id',
    $c$n.connection_id || ':' || date_trunc('hour', n.received_at at time zone 'UTC')$c$, 'n.received_at',
    $c$jsonb_build_object('event', n.kind, 'reason', n.reason, 'seller', c.slug)$c$,
    joins => 'left join public.connection c on c.id = n.connection_id');
  perform give_notice('inbox_event', 'update', $c$new.state = 'quarantined' and old.state <> 'quarantined'$c$,
    'webhook.quarantined', 'event', 'n.id',
    $c$n.connection_id || ':' || date_trunc('hour', n.received_at at time zone 'UTC')$c$, 'n.received_at',
    $c$jsonb_build_object('event', n.kind, 'reason', n.reason, 'seller', c.slug)$c$,
    joins => 'left join public.connection c on c.id = n.connection_id');
  perform give_notice('outbox_event', 'update', $c$new.state in ('refused', 'expired') and old.state = 'waiting'$c$,
    'webhook.undelivered', 'outgoing-event', 'n.id', $c$n.registration_id || ':' || date_trunc('hour', n.ended_at at time zone 'UTC')$c$,
    'n.ended_at', $c$jsonb_build_object('event', n.kind, 'state', n.state, 'reason', n.reason)$c$,
    place => of_operation, joins => operation);

  perform give_notice('invoice_hold', 'insert', 'true', 'invoice.held', 'invoice', 'n.invoice_id',
    $c$n.invoice_id || ':' || n.held_at$c$, 'n.held_at',
    $c$jsonb_build_object('seller', i.seller, 'number', i.number, 'period', i.period, 'amount_micros', n.amount_micros::text, 'currency', i.currency)$c$,
    joins => 'left join public.invoice i on i.id = n.invoice_id');
  perform give_notice('invoice', 'update', 'new.held_at is not null and old.held_at is null', 'invoice.held', 'invoice', 'n.id',
    $c$n.id || ':' || n.held_at$c$, 'n.held_at',
    $c$jsonb_build_object('seller', n.seller, 'number', n.number, 'period', n.period, 'reason', n.hold_reason)$c$);
  perform give_notice('reconciliation_break', 'insert', $c$new.state = 'open'$c$, 'break.opened', 'period', 'n.period',
    $c$n.period || ':' || n.seller || ':' || n.found_at$c$, 'n.found_at',
    $c$jsonb_build_object('seller', n.seller, 'period', n.period)$c$);
  perform give_notice('accounting_period', 'insert', $c$new.state = 'closed'$c$, 'period.closed', 'period', 'n.period',
    $c$n.period || ':' || n.updated_at$c$, 'n.updated_at', $c$jsonb_build_object('period', n.period)$c$);
  perform give_notice('accounting_period', 'update', $c$new.state = 'closed' and old.state <> 'closed'$c$,
    'period.closed', 'period', 'n.period', $c$n.period || ':' || n.updated_at$c$, 'n.updated_at',
    $c$jsonb_build_object('period', n.period)$c$);
  perform give_notice('accounting_period', 'update', $c$new.state = 'open' and old.state = 'closed'$c$,
    'period.reopened', 'period', 'n.period', $c$n.period || ':' || n.updated_at$c$, 'n.updated_at',
    $c$jsonb_build_object('period', n.period)$c$);

  perform give_notice('job', 'update', 'new.ended_at is not null and old.ended_at is null', 'job.ended', 'job', 'n.id',
    $c$n.id || ':' || n.takes$c$, 'n.ended_at',
    $c$jsonb_build_object('job', n.kind, 'state', n.state, 'done', n.done, 'faults', n.faults, 'error', n.error_message)$c$,
    'n.principal_id', own);
end
$$;

drop function work_due(text[], timestamptz[]);
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
comment on table notice is 'read before the tenant is known';
comment on table notice_delivery is 'read before the tenant is known';
select assign_lookup_functions();
