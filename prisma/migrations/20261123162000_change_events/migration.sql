-- runs with: 20261123120400_journal_checkpoints
-- One row per change of an object: what GET /v1/changes is read from. Triggers write it, so that no way of changing an
-- object can forget it.
--
-- Ids are given before transactions end, so a row with a lower id may appear after one with a higher id. A reader
-- therefore takes only rows of transactions that are older than every transaction at work (`tx < pg_snapshot_xmin`):
-- below that line nothing appears any more, and (tx, id) is a place to go on from.
CREATE TABLE "change_event" (
    "organization_id" UUID NOT NULL,
    "tx" BIGINT NOT NULL DEFAULT ((pg_current_xact_id())::text)::bigint,
    "id" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "kind" TEXT NOT NULL,
    "object_id" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "principal_id" UUID,
    "client_id" UUID,
    "brand_domain" TEXT,
    "campaign_id" UUID,

    CONSTRAINT "change_event_pkey" PRIMARY KEY ("organization_id","tx","id")
);

select stand_under_tenancy('change_event');
comment on table change_event is 'read before the tenant is known';
-- Rows come at one end and are deleted at the other, in order: dead rows are cleared early, and the statistics of `tx`
-- are always behind.
alter table change_event set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

-- The version before this one goes on writing the tables below until it is replaced, as a role that is granted new
-- tables after all migrations have run: its triggers must not fail until then.
do $$
declare
  writer name;
begin
  for writer in
    select distinct grantee from information_schema.role_table_grants
    where table_schema = 'public' and table_name = 'media_buy' and privilege_type = 'INSERT'
      and grantee <> current_user and grantee <> 'PUBLIC'
  loop
    execute format('grant select, insert, update, delete on public.change_event to %I', writer);
    execute format('grant usage on sequence public.change_event_id_seq to %I', writer);
  end loop;
end
$$;

-- Has the changes of a table written as changes of objects of a kind. In the texts `n` is the row that changed.
--   object   the object's id
--   scope    principal, client, brand domain and campaign that the object belongs to
--   joins    where they are read from, as left joins
--   created, updated, removed   conditions over `new` and `old`; null: such changes are not written
-- Row by row, because the condition then costs nothing where it does not hold. Outside a tenant, as in a migration that
-- fills in a column, nothing is written.
create function publish_changes(
  source name, kind text, object text, scope text default 'null, null, null, null', joins text default '',
  created text default null, updated text default null, removed text default null
)
returns void
language plpgsql set search_path = public, pg_temp
as $body$
declare
  function_name constant name := 'change_of_' || source;
  each_trigger record;
begin
  execute format(
    $f$create function public.%1$I() returns trigger language plpgsql as $b$
    declare
      n public.%2$I;
    begin
      if nullif(current_setting('switchyard.organization_id', true), '') is null then
        return null;
      end if;
      if tg_argv[0] in ('moved', 'removed') then n := old; else n := new; end if;
      insert into public.change_event (organization_id, kind, object_id, action, principal_id, client_id, brand_domain, campaign_id)
      select n.organization_id, %3$L, (%4$s)::text, tg_argv[0], %5$s from (values (1)) as one %6$s;
      return null;
    end
    $b$$f$, function_name, source, kind, object, scope, joins);
  execute format('revoke execute on function public.%I() from public', function_name);
  for each_trigger in
    select * from (values ('created', 'insert', created), ('updated', 'update', updated), ('removed', 'delete', removed))
      as t (action, event, condition) where condition is not null
  loop
    execute format(
      'create trigger change_%1$s after %2$s on public.%3$I for each row when (%4$s) execute function public.%5$I(%1$L)',
      each_trigger.action, each_trigger.event, source, each_trigger.condition, function_name);
  end loop;
end
$body$;
revoke execute on function publish_changes(name, text, text, text, text, text, text, text) from public;

-- True where one of the columns changed, as the condition of an update.
create function columns_changed(variadic columns text[])
returns text
language sql immutable
as $$
  select format('(%s) is distinct from (%s)', string_agg('new.' || c, ', '), string_agg('old.' || c, ', '))
  from unnest(columns) as c
$$;
revoke execute on function columns_changed(text[]) from public;

-- A batch of reports is one statement with many rows: each buy in it is written once.
create function change_of_report_version()
returns trigger
language plpgsql
as $$
begin
  if nullif(current_setting('switchyard.organization_id', true), '') is null then
    return null;
  end if;
  insert into public.change_event (organization_id, kind, object_id, action, principal_id, client_id, brand_domain, campaign_id)
  select n.organization_id, 'delivery', n.media_buy_id, 'updated', b.principal_id, b.client_id, b.brand_domain, b.campaign_id
  from (select distinct organization_id, media_buy_id from new_rows) as n
  left join public.media_buy b on b.id = n.media_buy_id;
  return null;
end
$$;
revoke execute on function change_of_report_version() from public;

do $$
declare
  own constant text := 'n.principal_id, n.client_id, n.brand_domain, n.campaign_id';
  of_buy constant text := 'b.principal_id, b.client_id, b.brand_domain, b.campaign_id';
  of_operation constant text := 'o.principal_id, o.client_id, o.brand_domain, o.campaign_id';
  buy constant text := 'left join public.media_buy b on b.id = n.media_buy_id';
  operation constant text := 'left join public.operation o on o.id = n.operation_id';
  -- Questions to the market change nothing.
  no_question constant text := $c$new.task not in ('get_products', 'get_signals')$c$;
begin
  perform publish_changes('media_buy', 'media_buy', 'n.id', own, created => 'true', updated => columns_changed(
    'status', 'revision', 'start_time', 'end_time', 'buyer_ref', 'client_id', 'brand_domain', 'campaign_id'));
  -- Whoever saw it where it was before is told as well.
  create trigger change_moved after update on media_buy for each row
    when ((new.client_id, new.brand_domain, new.campaign_id) is distinct from (old.client_id, old.brand_domain, old.campaign_id))
    execute function change_of_media_buy('moved');
  perform publish_changes('seller_buy', 'media_buy', 'n.media_buy_id', of_buy, buy, updated => columns_changed(
    'status', 'revision', 'actions', 'said', 'seller_media_buy_id', 'confirmed_at', 'reporting_ended_at'));
  perform publish_changes('buy_package', 'media_buy', 'n.media_buy_id', of_buy, buy, updated => columns_changed(
    'budget_micros', 'bid_micros', 'paused', 'canceled_at', 'seller_package_id', 'targeting', 'terms'));
  create trigger change_created after insert on report_version
    referencing new table as new_rows for each statement execute function change_of_report_version();
  perform publish_changes('impairment', 'impairment', 'n.id', of_buy, buy,
    created => 'true', updated => columns_changed('resolved_at', 'detail'));
  perform publish_changes('operation', 'operation', 'n.id', own, created => no_question,
    updated => no_question || ' and ' || columns_changed('status', 'settled_at', 'client_id', 'brand_domain', 'campaign_id'));
  perform publish_changes('leg', 'operation', 'n.operation_id', of_operation, operation,
    updated => no_question || ' and ' || columns_changed('status'));
  perform publish_changes('approval', 'approval', 'n.id', of_operation, operation,
    created => 'true', updated => columns_changed('state', 'answered_at', 'closed_at', 'outcome'));
  -- What is taken in and applied shows in its buy, and comes in thousands per second: only what a person may have to
  -- look at is written.
  perform publish_changes('inbox_event', 'event', 'n.id', of_operation,
    'left join public.webhook_registration r on r.id = n.registration_id
     left join public.operation o on o.id = r.operation_id',
    created => $c$new.state <> 'received'$c$,
    updated => $c$new.state <> old.state and (new.state <> 'applied' or old.state <> 'received')$c$);
  perform publish_changes('outbox_event', 'outbox_event', 'n.id', of_operation, operation,
    updated => columns_changed('state'));
  perform publish_changes('connection', 'seller', 'n.slug', created => 'true', removed => 'true', updated => columns_changed(
    'name', 'agent_url', 'state', 'state_reason', 'form', 'kinds', 'account', 'capabilities', 'credential_id',
    'webhook_credential_id', 'legacy_webhooks', 'wants_relay_signature', 'report_registration'));
  perform publish_changes('connection_health', 'seller', 'c.slug',
    joins => 'left join public.connection c on c.id = n.connection_id', updated => columns_changed('breaker'));
  perform publish_changes('credential', 'credential', 'n.credential_id',
    created => $c$new.connection_id is not null and new.kind <> 'callback'$c$,
    updated => $c$new.connection_id is not null and new.kind <> 'callback' and $c$ || columns_changed('retired_at'));
  perform publish_changes('alarm', 'alarm', 'n.id', created => 'true', updated => columns_changed('acknowledged_at'));
  perform publish_changes('creative', 'creative', 'n.creative_id', 'n.principal_id, null, null, null', created => 'true',
    updated => columns_changed('name', 'status', 'body_hash', 'archived_at'));
  perform publish_changes('client', 'client', 'n.id', 'null, n.id, null, null', created => 'true', removed => 'true',
    updated => 'new.* is distinct from old.*');
  perform publish_changes('brand', 'brand', 'n.id', 'null, n.client_id, n.domain, null', created => 'true',
    removed => 'true', updated => 'new.* is distinct from old.*');
  perform publish_changes('campaign', 'campaign', 'n.id', 'n.owner_id, n.client_id, n.brand_domain, n.id',
    created => 'true', removed => 'true', updated => 'new.* is distinct from old.*');
  perform publish_changes('delegation', 'delegation', 'n.id', 'n.principal_id, null, null, null',
    created => 'true', updated => columns_changed('until_at', 'revoked_at'));
  perform publish_changes('principal', 'principal', 'n.id', 'n.id, null, null, null', created => 'true',
    updated => 'new.* is distinct from old.*');
  perform publish_changes('principal_token', 'principal', 'n.principal_id', 'n.principal_id, null, null, null',
    created => 'true', removed => 'true', updated => columns_changed('permissions', 'expires_at', 'revoked_at'));
  perform publish_changes('principal_identity', 'principal', 'n.principal_id', 'n.principal_id, null, null, null',
    created => 'true', removed => 'true', updated => columns_changed('removed_at', 'proved_at'));
  perform publish_changes('principal_account', 'account', 'n.id', 'n.principal_id, null, null, null', created => 'true',
    updated => columns_changed('closed_at', 'hold', 'hold_reason'));
  perform publish_changes('access_grant', 'grant', 'n.id', 'n.principal_id, null, null, null', created => 'true',
    removed => 'true', updated => 'new.* is distinct from old.*');
  perform publish_changes('role', 'role', 'n.name', created => 'true', removed => 'true',
    updated => 'new.* is distinct from old.*');
  perform publish_changes('signing_key', 'key', 'n.kid', 'n.principal_id, null, null, null', created => 'true',
    updated => columns_changed('state'));
exception
  -- The locks of many tables, taken while others write: the runner tries again what did not get them.
  when deadlock_detected then
    raise exception using errcode = 'lock_not_available', message = sqlerrm;
end
$$;

-- What several tenants were not told yet, each after its own place, in one statement; up to `most` rows of each. Also
-- where the line stands now (`upto`): everything before it has been answered, unless a tenant got `most` rows.
create function changes_since(organizations uuid[], after_txs bigint[], after_ids bigint[], most integer)
returns table (
  upto bigint, organization_id uuid, tx bigint, id bigint, at timestamptz, kind text, object_id text, action text,
  principal_id uuid, client_id uuid, brand_domain text, campaign_id uuid
)
language sql stable security definer set search_path = public, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
  select line.upto, c.*
  from (select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as upto) as line
  left join lateral (
    select later.*
    from unnest(organizations, after_txs, after_ids) as place (organization_id, tx, id)
    cross join lateral (
      select e.organization_id, e.tx, e.id, e.at, e.kind, e.object_id, e.action, e.principal_id, e.client_id, e.brand_domain, e.campaign_id
      from public.change_event e
      where e.organization_id = place.organization_id and (e.tx, e.id) > (place.tx, place.id) and e.tx < line.upto
        and e.kind <> 'forgotten'
      order by e.tx, e.id limit most
    ) as later
  ) as c on true
$$;
revoke execute on function changes_since(uuid[], bigint[], bigint[], integer) from public;
comment on function changes_since(uuid[], bigint[], bigint[], integer) is 'for the application';

-- Which tenants have rows from before an instant: one entry of the index per tenant, whatever it holds.
create function organizations_with_old_changes(before timestamptz)
returns table (organization_id uuid)
language sql stable security definer set search_path = public, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
  with recursive tenant as (
    (select e.organization_id, e.at from public.change_event e where e.kind <> 'forgotten'
     order by e.organization_id, e.tx, e.id limit 1)
    union all
    select later.* from tenant cross join lateral (
      select e.organization_id, e.at from public.change_event e
      where e.kind <> 'forgotten' and e.organization_id > tenant.organization_id
      order by e.organization_id, e.tx, e.id limit 1
    ) as later
  )
  select tenant.organization_id from tenant where tenant.at < before
$$;
revoke execute on function organizations_with_old_changes(timestamptz) from public;
comment on function organizations_with_old_changes(timestamptz) is 'for the application';
select assign_lookup_functions();
