-- runs with: 20261124065500_relay_admits_in_fewer_statements
-- replaces all until: 20261124065500_relay_admits_in_fewer_statements
-- The functions, by name. The application may call those whose comment says so.

-- Gives every function that runs with its owner's rights to the lookup role, and the role what they need. The
-- migration runner calls this at each start as well; where nothing is missing it changes nothing.
create function assign_lookup_functions()
returns void
language plpgsql set search_path = public, pg_temp
as $$
declare
  lookup name;
  each_table regclass;
  each_function regprocedure;
  is_superuser constant boolean := (select rolsuper from pg_roles where rolname = current_user);
  is_member boolean;
begin
  -- A copy of a database goes on with the role of the original.
  select r.rolname into lookup
  from pg_proc p join pg_roles r on r.oid = p.proowner
  where p.oid = 'public.organization_ids()'::regprocedure and not r.rolcanlogin
    and r.oid <> (select relowner from pg_class where oid = 'public.organization'::regclass);
  lookup := coalesce(lookup, (left(current_database(), 56) || '_lookup')::name);
  if not exists (select from pg_roles where rolname = lookup) then
    begin
      execute format('create role %I nologin noinherit', lookup);
    exception when insufficient_privilege then
      raise exception using errcode = 'insufficient_privilege', message = format(
        'the role %I is missing and %I may not create roles. Run as a superuser: create role %I nologin noinherit; '
        'grant %I to %I; and start again', lookup, current_user, lookup, lookup, current_user);
    end;
  end if;
  if exists (select from pg_roles where rolname = lookup and (rolcanlogin or rolsuper or rolbypassrls)) then
    raise exception 'the role % may log in or bypass row-level security: it has to be nologin and nobypassrls', lookup;
  end if;

  execute format('grant usage on schema public to %I', lookup);
  for each_table in
    select c.oid::regclass from pg_class c
    where c.relnamespace = 'public'::regnamespace
      and obj_description(c.oid, 'pg_class') = 'read before the tenant is known'
      and not exists (
        select from pg_policy p
        where p.polrelid = c.oid and p.polname = 'before_tenant' and p.polroles = array[lookup::regrole::oid])
  loop
    execute format('drop policy if exists before_tenant on %s', each_table);
    execute format('create policy before_tenant on %s for select to %I using (true)', each_table, lookup);
    execute format('grant select on %s to %I', each_table, lookup);
  end loop;
  for each_function in
    select p.oid::regprocedure from pg_proc p
    where p.pronamespace = 'public'::regnamespace and obj_description(p.oid, 'pg_proc') = 'for the lookup role'
      and not has_function_privilege(lookup, p.oid, 'execute')
  loop
    execute format('grant execute on function %s to %I', each_function, lookup);
  end loop;

  if not exists (
    select from pg_proc where pronamespace = 'public'::regnamespace and prosecdef and proowner <> lookup::regrole
  ) then
    return;
  end if;
  is_member := is_superuser or exists (
    select from pg_auth_members m
    where m.roleid = lookup::regrole and m.member = current_user::regrole
      and coalesce(to_jsonb(m) ->> 'set_option', 'true') = 'true');
  begin
    if not is_member then
      execute format('grant %I to %I', lookup, current_user);
    end if;
    execute format('grant create on schema public to %I', lookup);
    for each_function in
      select oid::regprocedure from pg_proc
      where pronamespace = 'public'::regnamespace and prosecdef and proowner <> lookup::regrole
    loop
      execute format('alter function %s owner to %I', each_function, lookup);
      -- Whoever migrates grants them to the application.
      if not is_superuser then
        execute format('grant execute on function %s to %I with grant option', each_function, current_user);
      end if;
    end loop;
    execute format('revoke create on schema public from %I', lookup);
    if not is_member then
      execute format('revoke %I from %I', lookup, current_user);
    end if;
  exception when insufficient_privilege then
    raise exception using errcode = 'insufficient_privilege', message = format(
      'the functions that answer before the tenant is known could not be given to %I (%s). %I has to own the '
      'database. Run as a superuser: grant %I to %I; and start again', lookup, sqlerrm, current_user, lookup, current_user);
  end;
end
$$;
revoke execute on function assign_lookup_functions() from public;

-- A row is written once and its end is added once. The application has no right to any other change; this holds for
-- whoever has one.
create function audit_event_ends_once()
returns trigger
language plpgsql set search_path = public, pg_temp
as $$
begin
  if old.outcome <> 'begun' then
    raise exception 'the end of an act is written once' using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
revoke execute on function audit_event_ends_once() from public;

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
revoke execute on function changes_since(uuid[],bigint[],bigint[],integer) from public;
comment on function changes_since(uuid[],bigint[],bigint[],integer) is 'for the application';

-- A claim on creative ids, made before any seller hears of them: others who would put the same ids into what may be the same
-- account wait here until this transaction has ended, and then see its placements. Answers what another tenant has there
-- already, or is about to; what both have had before that was known stays both's. The locks are few however long a
-- request is, and none is taken where nobody else has a connection to the address.
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
revoke execute on function claim_creatives(uuid[],text[],text[]) from public;
comment on function claim_creatives(uuid[],text[],text[]) is 'for the application';

-- True where one of the columns changed, as the condition of an update.
create function columns_changed(variadic columns text[])
returns text
language sql immutable
as $$
  select format('(%s) is distinct from (%s)', string_agg('new.' || c, ', '), string_agg('old.' || c, ', '))
  from unnest(columns) as c
$$;
revoke execute on function columns_changed(text[]) from public;

-- Every commitment is counted by whoever writes it, whatever the way: the sums cannot differ from the rows.
create function count_commitment() returns trigger
language plpgsql set search_path = public, pg_temp
as $$
begin
  insert into spend_total as t (organization_id, kind, key, currency, month, pending_micros, committed_micros)
  select c.organization_id, d.kind, d.key, c.currency, m.month,
         sum(case when c.state = 'pending' then c.amount_micros else 0 end),
         sum(case when c.state = 'committed' then c.amount_micros else 0 end)
  from (
    select new.organization_id, new.principal_id, new.client_id, new.brand_domain, new.campaign_id, new.seller,
           new.currency, new.month, new.state, new.amount_micros where tg_op <> 'DELETE'
    union all
    select old.organization_id, old.principal_id, old.client_id, old.brand_domain, old.campaign_id, old.seller,
           old.currency, old.month, old.state, -old.amount_micros where tg_op <> 'INSERT'
  ) as c
  cross join lateral (values ('organization', ''), ('principal', c.principal_id::text), ('client', c.client_id::text),
    ('brand', c.brand_domain), ('campaign', c.campaign_id::text), ('seller', c.seller)) as d (kind, key)
  cross join lateral (values (''), (c.month)) as m (month)
  where d.key is not null
  group by c.organization_id, d.kind, d.key, c.currency, m.month
  having sum(case when c.state = 'pending' then c.amount_micros else 0 end) <> 0
      or sum(case when c.state = 'committed' then c.amount_micros else 0 end) <> 0
  order by 2, 3, 4, 5
  on conflict (organization_id, kind, key, currency, month) do update
  set pending_micros = t.pending_micros + excluded.pending_micros,
      committed_micros = t.committed_micros + excluded.committed_micros;
  return null;
end
$$;
revoke execute on function count_commitment() from public;

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
revoke execute on function due_work(text[],timestamp with time zone[]) from public;
comment on function due_work(text[],timestamp with time zone[]) is 'for the application';

create function forget_audit(p_before timestamptz, p_most integer)
returns integer
language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  v_before constant timestamptz := least(p_before, now() - interval '30 days');
  v_acts integer;
  v_uses integer;
begin
  with oldest as materialized (select id, at from audit_event order by id limit p_most)
  delete from audit_event e using oldest o where e.id = o.id and o.at < v_before;
  get diagnostics v_acts = row_count;
  with oldest as materialized (select id, used_at from credential_use order by id limit p_most)
  delete from credential_use u using oldest o where u.id = o.id and o.used_at < v_before;
  get diagnostics v_uses = row_count;
  return greatest(v_acts, v_uses);
end
$$;
revoke execute on function forget_audit(timestamp with time zone,integer) from public;
comment on function forget_audit(timestamp with time zone,integer) is 'for the application';

-- What the application may do. The migration runner calls this after every run, so a table of a later migration needs no
-- line of its own; one that is append-only joins the list by replacing the function.
-- Partitions do not inherit row-level security. They are reached through their table alone: no role of ours has a
-- grant on one, and a partition without a policy shows nothing.
create function grant_to_application(application name)
returns void
language plpgsql set search_path = public, pg_temp
as $$
declare
  append_only constant name[] := array['ledger_entry', 'ledger_posting', 'journal_block', 'report_version', 'credential_use', 'audit_event'];
  each_table name;
  each_partition regclass;
  each_function regprocedure;
begin
  execute format('grant usage on schema public to %I', application);
  for each_table in
    select relname from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
      and relname <> '_prisma_migrations'
  loop
    execute format('grant select, insert on public.%I to %I', each_table, application);
    if each_table = any (append_only) then
      execute format('revoke update, delete, truncate on public.%I from %I', each_table, application);
    else
      execute format('grant update, delete on public.%I to %I', each_table, application);
    end if;
  end loop;
  for each_partition in
    select oid::regclass from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relispartition
  loop
    execute format('revoke all on %s from %I', each_partition, application);
    if exists (
      select from pg_class where oid = each_partition and not (relrowsecurity and relforcerowsecurity)
    ) then
      execute format('alter table %s enable row level security, force row level security', each_partition);
    end if;
  end loop;
  -- A newer version of a report takes this mark from the one before it; its figures stay.
  execute format('grant update (is_current) on public.report_version to %I', application);
  -- How an act ended is written once, after it: see the trigger on audit_event.
  execute format('grant update (outcome, code, object_id, object_name, ended_at) on public.audit_event to %I', application);
  execute format('grant usage on all sequences in schema public to %I', application);
  execute format('grant select on public._prisma_migrations to %I', application);
  execute format(
    'grant execute on function principal_by_token_hash(bytea), webhook_registration_by_id(text), organization_ids(),
       public_organization(), organization_by_slug(text), published_signing_keys() to %I', application);
  for each_function in
    select p.oid::regprocedure from pg_proc p
    where p.pronamespace = 'public'::regnamespace and obj_description(p.oid, 'pg_proc') = 'for the application'
  loop
    execute format('grant execute on function %s to %I', each_function, application);
  end loop;
end
$$;
revoke execute on function grant_to_application(name) from public;

create function identity_holders(wanted_kind text, wanted_issuer text, wanted_subjects text[])
returns table (
  id uuid, organization_id uuid, name text, kind text, permissions jsonb, brand_domain text, transitional boolean,
  legacy boolean, created_at timestamptz, disabled_at timestamptz, grants jsonb, is_proved boolean
)
language sql stable security definer set search_path = public, pg_temp
as $$
  select p.id, p.organization_id, p.name, p.kind, p.permissions, p.brand_domain, p.transitional, p.legacy,
         p.created_at, p.disabled_at, (
           select jsonb_agg(jsonb_build_object(
                    'role', g.role, 'permissions', r.permissions, 'kind', g.scope_kind, 'id', g.scope_id)
                  order by g.created_at, g.id)
           from public.access_grant g
           left join public.role r on r.organization_id = g.organization_id and r.name = g.role
           where g.organization_id = p.organization_id and g.principal_id = p.id and g.removed_at is null), i.is_proved
  from (
    select principal_id, organization_id, bool_or(proved_at is not null) as is_proved
    from public.principal_identity
    where kind = wanted_kind and issuer = wanted_issuer and subject = any (wanted_subjects) and removed_at is null
    group by principal_id, organization_id
  ) as i
  join public.principal p on p.id = i.principal_id and p.organization_id = i.organization_id
$$;
revoke execute on function identity_holders(text,text,text[]) from public;
comment on function identity_holders(text,text,text[]) is 'for the application';

-- A memory that can be edited is none.
create function journal_anchor_stays() returns trigger
language plpgsql set search_path = public, pg_temp
as $$
begin
  raise exception 'A signed head is never changed.' using errcode = 'restrict_violation';
end
$$;
revoke execute on function journal_anchor_stays() from public;

-- The one clock by which leases begin and end: that of the database. A process whose own clock is wrong neither takes
-- what another one holds, nor holds anything longer than it said. The caller's time is not looked at: suites that move
-- their clock put a database in place whose clock is theirs.
create function lease_now(caller timestamptz)
returns timestamptz
language sql stable
as $$ select now() $$;
revoke execute on function lease_now(timestamp with time zone) from public;
comment on function lease_now(timestamp with time zone) is 'for the application';

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
revoke execute on function may_be_one_account(connection,connection) from public;
comment on function may_be_one_account(connection,connection) is 'for the lookup role';

-- Open ones by their link or by an e-mail address. What somebody was invited to by a person who is switched off is over.
create function open_invitations(wanted_hash bytea, wanted_email text, wanted_at timestamptz)
returns setof invitation
language sql stable security definer set search_path = public, pg_temp
as $$
  select i.* from public.invitation i
  join public.principal p on p.id = i.invited_by and p.organization_id = i.organization_id and p.disabled_at is null
  where (i.token_hash = wanted_hash or i.email = wanted_email)
    and i.expires_at > wanted_at and i.withdrawn_at is null and i.accepted_at is null
  order by i.created_at desc
$$;
revoke execute on function open_invitations(bytea,text,timestamp with time zone) from public;
comment on function open_invitations(bytea,text,timestamp with time zone) is 'for the application';

create function organization_by_slug(wanted text)
returns setof organization
language sql stable security definer set search_path = public, pg_temp
as $$ select * from public.organization where slug = wanted $$;
revoke execute on function organization_by_slug(text) from public;

create function organization_ids()
returns table (id uuid)
language sql stable security definer set search_path = public, pg_temp
as $$ select id from public.organization order by created_at, id $$;
revoke execute on function organization_ids() from public;

-- For whoever runs the installation: its organizations in pages, oldest first, after an instant and an id.
create function organizations_after(after_at timestamptz, after_id uuid, most int)
returns setof organization
language sql stable security definer set search_path = public, pg_temp
as $$
  select * from public.organization
  where after_at is null or (created_at, id) > (after_at, after_id)
  order by created_at, id limit most
$$;
revoke execute on function organizations_after(timestamp with time zone,uuid,integer) from public;
comment on function organizations_after(timestamp with time zone,uuid,integer) is 'for the application';

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
revoke execute on function organizations_with_old_changes(timestamp with time zone) from public;
comment on function organizations_with_old_changes(timestamp with time zone) is 'for the application';

create function passkey_holder(wanted_credential text)
returns table (organization_id uuid, principal_id uuid, id uuid, public_key bytea, counter bigint, transports text[])
language sql stable security definer set search_path = public, pg_temp
as $$
  select k.organization_id, k.principal_id, k.id, k.public_key, k.counter, k.transports
  from public.person_passkey k
  join public.principal p on p.id = k.principal_id and p.organization_id = k.organization_id
  where k.credential_id = wanted_credential and p.disabled_at is null
$$;
revoke execute on function passkey_holder(text) from public;
comment on function passkey_holder(text) is 'for the application';

create function password_holder(wanted_email text)
returns table (organization_id uuid, principal_id uuid, hash text, locked_until timestamptz)
language sql stable security definer set search_path = public, pg_temp
as $$
  select w.organization_id, w.principal_id, w.hash, w.locked_until
  from public.person_password w
  join public.principal p on p.id = w.principal_id and p.organization_id = w.organization_id
  where w.email = wanted_email and p.disabled_at is null
$$;
revoke execute on function password_holder(text) from public;
comment on function password_holder(text) is 'for the application';

-- What has to be found before the tenant is known. Each function answers one narrow question with the owner's
-- rights. The search path is pinned, so that a caller cannot slip a table of its own in front of ours.
create function principal_by_token_hash(hash bytea)
returns table (
  token_id uuid, label text, scheme text, token_permissions jsonb, token_created_at timestamptz,
  expires_at timestamptz, revoked_at timestamptz, id uuid, organization_id uuid, name text, kind text,
  permissions jsonb, brand_domain text, transitional boolean, legacy boolean, created_at timestamptz,
  disabled_at timestamptz
)
language sql stable security definer set search_path = public, pg_temp
as $$
  select t.id, t.label, t.scheme, t.permissions, t.created_at, t.expires_at, t.revoked_at, p.id, p.organization_id,
         p.name, p.kind, p.permissions, p.brand_domain, p.transitional, p.legacy, p.created_at, p.disabled_at
  from public.principal_token t
  join public.principal p on p.id = t.principal_id and p.organization_id = t.organization_id
  where t.token_hash = hash
$$;
revoke execute on function principal_by_token_hash(bytea) from public;

-- Who a certificate or a token of an issuer stands for. A certificate carries several names; each is asked for, and
-- whoever calls refuses where they stand for more than one principal.
create function principals_by_identity(wanted_kind text, wanted_issuer text, wanted_subjects text[])
returns table (
  id uuid, organization_id uuid, name text, kind text, permissions jsonb, brand_domain text, transitional boolean,
  legacy boolean, created_at timestamptz, disabled_at timestamptz, is_proved boolean
)
language sql stable security definer set search_path = public, pg_temp
as $$
  select p.id, p.organization_id, p.name, p.kind, p.permissions, p.brand_domain, p.transitional, p.legacy,
         p.created_at, p.disabled_at, i.is_proved
  from (
    select principal_id, organization_id, bool_or(proved_at is not null) as is_proved
    from public.principal_identity
    where kind = wanted_kind and issuer = wanted_issuer and subject = any (wanted_subjects) and removed_at is null
    group by principal_id, organization_id
  ) as i
  join public.principal p on p.id = i.principal_id and p.organization_id = i.organization_id
$$;
revoke execute on function principals_by_identity(text,text,text[]) from public;
comment on function principals_by_identity(text,text,text[]) is 'for the application';

create function public_organization()
returns setof organization
language sql stable security definer set search_path = public, pg_temp
as $$ select * from public.organization where is_public order by created_at, id limit 1 $$;
revoke execute on function public_organization() from public;

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
revoke execute on function publish_changes(name,text,text,text,text,text,text,text) from public;

-- Public halves alone: what the JWKS of this installation publishes.
create function published_signing_keys()
returns table (kid text, public_jwk jsonb, state text)
language sql stable security definer set search_path = public, pg_temp
as $$ select kid, public_jwk, state from public.signing_key where retired_at is null order by created_at, kid $$;
revoke execute on function published_signing_keys() from public;

-- A decision is evidence: it is written once. A trigger says so, because the grants are renewed after each migration.
create function refuse_change()
returns trigger
language plpgsql set search_path = public, pg_temp
as $$
begin
  raise exception 'Rows of % are written once.', tg_table_name using errcode = 'insufficient_privilege';
end
$$;
revoke execute on function refuse_change() from public;

-- A signed request names a key and no tenant: whose key it is has to be found before the tenant is known.
create function registered_signers()
returns table (
  signer_id uuid, agent_url text, jwks_uri text, jwks jsonb, agent_protocol text, found_jwks_uri text, dialect text,
  allows_rsa_pss boolean, proved_keys text[], id uuid, organization_id uuid, name text, kind text, permissions jsonb,
  brand_domain text, transitional boolean, legacy boolean, created_at timestamptz, disabled_at timestamptz
)
language sql stable security definer set search_path = public, pg_temp
as $$
  select s.id, s.agent_url, s.jwks_uri, s.jwks, s.agent_protocol, s.found_jwks_uri, s.dialect, s.allows_rsa_pss,
         s.proved_keys, p.id, p.organization_id, p.name, p.kind, p.permissions, p.brand_domain, p.transitional,
         p.legacy, p.created_at, p.disabled_at
  from public.principal_signer s
  join public.principal p on p.id = s.principal_id and p.organization_id = s.organization_id
  where s.removed_at is null and p.disabled_at is null
  order by s.created_at, s.id
$$;
revoke execute on function registered_signers() from public;
comment on function registered_signers() is 'for the application';

-- Lets a sealed request in: one statement writes its nonce, the uses of credentials and its record, or none of them.
-- What is assigned is evaluated and not queried, and the budget is asked only where something is held.
create function relay_admit(
  org uuid, mark text, token uuid, brand uuid, conn uuid, slug text, signer uuid, durable boolean,
  claimed_key text, claimed_nonce text, claimed_until timestamptz,
  used_credential uuid, used_version integer, used_by text,
  request uuid, wanted text, under uuid, made uuid, hold bigint, said text, signed_by text, hashed text, nonced text,
  arrived timestamptz)
returns text
language plpgsql
as $$
declare
  ceiling bigint;
  held bigint;
  setting text;
begin
  setting := set_config('switchyard.organization_id', org::text, true);
  setting := set_config('synchronous_commit', case when durable then 'on' else 'off' end, true);
  if hold is not null then
    select d.budget_micros into ceiling from public.delegation d
    where d.organization_id = org and d.id = under for update;
  end if;
  -- Statements of their own: each sees what was committed while the lock was waited for.
  if public.relay_mark(org, token, brand, conn, slug) is distinct from mark then
    return 'changed';
  end if;
  if not exists (select from public.principal_signer s
                 where s.organization_id = org and s.id = signer and s.principal_id = brand and s.removed_at is null) then
    return 'changed';
  end if;
  if hold is not null then
    select coalesce(sum(one.held), 0) into held from (
      select max(r.held_micros) as held from public.relay_request r
      where r.organization_id = org and r.delegation_id = under and r.held_micros is not null
      group by coalesce(r.commitment_id, r.id)) one;
    if hold + held > ceiling then
      return 'exceeded';
    end if;
  end if;
  with claimed as (
    insert into public.signature_nonce (keyid, nonce, expires_at) values (claimed_key, claimed_nonce, claimed_until)
    on conflict do nothing returning nonce
  ), used as (
    insert into public.credential_use
      (organization_id, credential_id, credential_version, operation_id, purpose, actor, used_at)
    select org, used_credential, used_version, request, wanted, used_by, arrived
    from claimed where used_credential is not null
  )
  insert into public.relay_request
    (id, organization_id, principal_id, seller, way, task, delegation_id, operation_id, keyid, nonce, body_hash,
     held_micros, commitment_id, state, draft, arrived_at)
  select request, org, brand, slug, 'sealed', wanted, under, made, signed_by, nonced, hashed, hold,
    case when hold is null then null else made end, 'open', said, arrived
  from claimed;
  return case when found then 'admitted' else 'replayed' end;
end
$$;
revoke execute on function relay_admit(uuid,text,uuid,uuid,uuid,text,uuid,boolean,text,text,timestamp with time zone,uuid,integer,text,uuid,text,uuid,uuid,bigint,text,text,text,text,timestamp with time zone) from public;
comment on function relay_admit(uuid,text,uuid,uuid,uuid,text,uuid,boolean,text,text,timestamp with time zone,uuid,integer,text,uuid,text,uuid,uuid,bigint,text,text,text,text,timestamp with time zone) is 'for the application';

-- The versions of every row that decides whether one token may relay to one seller: the token, its principal, the
-- connection, the live credentials of the connection, and every delegation of the principal for that seller. Two equal
-- marks mean that none of them has changed, been added or been removed in between. The tenant has been named before.
create function relay_mark(org uuid, token uuid, brand uuid, conn uuid, slug text)
returns text
language plpgsql stable
as $$
begin
  return (
    select concat_ws(' ',
      coalesce((select t.xmin::text from public.principal_token t
                where t.organization_id = org and t.id = token and t.principal_id = brand), '-'),
      coalesce((select p.xmin::text from public.principal p where p.organization_id = org and p.id = brand), '-'),
      coalesce((select c.xmin::text || coalesce((
                  select string_agg(concat(',', k.credential_id, '/', k.version, '/', k.xmin), '' order by k.credential_id, k.version)
                  from public.credential k
                  where k.organization_id = org and k.credential_id in (c.credential_id, c.key_credential_id)
                    and k.retired_at is null), '')
                from public.connection c where c.organization_id = org and c.id = conn), '-'),
      coalesce((select string_agg(concat(d.id, '/', d.xmin), ',' order by d.id) from public.delegation d
                where d.organization_id = org and d.principal_id = brand and d.seller = slug), '-')));
end
$$;
revoke execute on function relay_mark(uuid,uuid,uuid,uuid,text) from public;
comment on function relay_mark(uuid,uuid,uuid,uuid,text) is 'for the application';

create function relay_native_registration(standing text, a2a_task text)
returns text
language sql stable security definer set search_path = public, pg_temp
as $$
  select r.id
  from public.webhook_registration r
  join public.leg l on l.organization_id = r.organization_id and l.id = r.leg_id
  where r.kind = 'a2a' and starts_with(r.id, 'whs_') and split_part(r.id, '.a.', 1) = standing
    and l.a2a_task_id = a2a_task
  limit 1
$$;
revoke execute on function relay_native_registration(text,text) from public;
comment on function relay_native_registration(text,text) is 'for the application';

create function relay_report_registration(standing text, seller_buy text)
returns text
language sql stable security definer set search_path = public, pg_temp
as $$
  select r.id
  from public.webhook_registration r
  join public.seller_buy s on s.organization_id = r.organization_id and s.leg_id = r.leg_id
  where r.kind = 'report' and starts_with(r.id, 'whs_') and split_part(r.id, '.r.', 1) = standing
    and s.seller_media_buy_id = seller_buy
  limit 1
$$;
revoke execute on function relay_report_registration(text,text) from public;
comment on function relay_report_registration(text,text) is 'for the application';

-- Keys whose private half lies in a key service: a start compares what is published with what that service has.
create function remote_signing_keys()
returns table (kid text, kms_key_id text, public_jwk jsonb)
language sql stable security definer set search_path = public, pg_temp
as $$
  select kid, kms_key_id, public_jwk from public.signing_key where kms_key_id is not null and retired_at is null
  order by created_at, kid
$$;
revoke execute on function remote_signing_keys() from public;
comment on function remote_signing_keys() is 'for the application';

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
revoke execute on function signals_elsewhere(uuid,text[]) from public;
comment on function signals_elsewhere(uuid,text[]) is 'for the application';

create function signer_holders()
returns table (
  signer_id uuid, agent_url text, jwks_uri text, jwks jsonb, agent_protocol text, found_jwks_uri text, dialect text,
  allows_rsa_pss boolean, proved_keys text[],
  id uuid, organization_id uuid, name text, kind text, permissions jsonb, brand_domain text, transitional boolean,
  legacy boolean, created_at timestamptz, disabled_at timestamptz, grants jsonb
)
language sql stable security definer set search_path = public, pg_temp
as $$
  select s.id, s.agent_url, s.jwks_uri, s.jwks, s.agent_protocol, s.found_jwks_uri, s.dialect, s.allows_rsa_pss,
         s.proved_keys, p.id, p.organization_id, p.name, p.kind, p.permissions, p.brand_domain, p.transitional, p.legacy,
         p.created_at, p.disabled_at, (
           select jsonb_agg(jsonb_build_object(
                    'role', g.role, 'permissions', r.permissions, 'kind', g.scope_kind, 'id', g.scope_id)
                  order by g.created_at, g.id)
           from public.access_grant g
           left join public.role r on r.organization_id = g.organization_id and r.name = g.role
           where g.organization_id = p.organization_id and g.principal_id = p.id and g.removed_at is null)
  from public.principal_signer s
  join public.principal p on p.id = s.principal_id and p.organization_id = s.organization_id
  where s.removed_at is null and p.disabled_at is null
  order by s.created_at, s.id
$$;
revoke execute on function signer_holders() from public;
comment on function signer_holders() is 'for the application';

-- Puts a table of a tenant's rows under row-level security. A later migration that has to change such rows lifts it
-- inside its own transaction:
-- alter table t no force row level security; ...; alter table t force row level security;
create function stand_under_tenancy(tenant_table regclass)
returns void
language plpgsql set search_path = public, pg_temp
as $$
begin
  execute format('alter table %s enable row level security, force row level security', tenant_table);
  execute format(
    'create policy tenant on %s for all
       using (organization_id = nullif(current_setting(''switchyard.organization_id'', true), '''')::uuid)
       with check (organization_id = nullif(current_setting(''switchyard.organization_id'', true), '''')::uuid)',
    tenant_table);
end
$$;
revoke execute on function stand_under_tenancy(regclass) from public;

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
revoke execute on function stands_elsewhere(uuid,text) from public;
comment on function stands_elsewhere(uuid,text) is 'for the application';

-- Which tenants have a seller that is removed once its last buy is over: few at any time, found by one look.
create function tenants_with_draining_sellers() returns setof uuid
language sql stable security definer set search_path = public, pg_temp
as $$ select distinct organization_id from public.connection where draining_since is not null $$;
revoke execute on function tenants_with_draining_sellers() from public;
comment on function tenants_with_draining_sellers() is 'for the application';

create function token_holder(hash bytea)
returns table (
  token_id uuid, label text, scheme text, token_permissions jsonb, token_created_at timestamptz,
  expires_at timestamptz, revoked_at timestamptz,
  id uuid, organization_id uuid, name text, kind text, permissions jsonb, brand_domain text, transitional boolean,
  legacy boolean, created_at timestamptz, disabled_at timestamptz, grants jsonb
)
language sql stable security definer set search_path = public, pg_temp
as $$
  select t.id, t.label, t.scheme, t.permissions, t.created_at, t.expires_at, t.revoked_at,
         p.id, p.organization_id, p.name, p.kind, p.permissions, p.brand_domain, p.transitional, p.legacy,
         p.created_at, p.disabled_at, (
           select jsonb_agg(jsonb_build_object(
                    'role', g.role, 'permissions', r.permissions, 'kind', g.scope_kind, 'id', g.scope_id)
                  order by g.created_at, g.id)
           from public.access_grant g
           left join public.role r on r.organization_id = g.organization_id and r.name = g.role
           where g.organization_id = p.organization_id and g.principal_id = p.id and g.removed_at is null)
  from public.principal_token t
  join public.principal p on p.id = t.principal_id and p.organization_id = t.organization_id
  where t.token_hash = hash
$$;
revoke execute on function token_holder(bytea) from public;
comment on function token_holder(bytea) is 'for the application';

-- With what its connection says of the sender: who may use the address, and in which dialect it signs.
create function webhook_registration_by_id(registration_id text)
returns table (
  id text, organization_id uuid, connection_id uuid, leg_id uuid, operation_id uuid, kind text, mode text,
  seller_operation_id text, credential_id uuid, token_hash text, dialect text, agent_url text
)
language sql stable security definer set search_path = public, pg_temp
as $$
  select r.id, r.organization_id, r.connection_id, r.leg_id, r.operation_id, r.kind, r.mode, r.seller_operation_id,
         r.credential_id, r.token_hash, c.dialect, c.agent_url
  from public.webhook_registration r
  join public.connection c on c.id = r.connection_id and c.organization_id = r.organization_id
  where r.id = registration_id
$$;
revoke execute on function webhook_registration_by_id(text) from public;

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
      ('old_activity', 'outbox_event', 'ended_at', $r$ended_at is not null and state <> 'waiting'$r$),
      ('internal_approvals', 'internal_approval', 'expires_at', $r$state = 'open'$r$)
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
revoke execute on function work_due(text[],timestamp with time zone[]) from public;
comment on function work_due(text[],timestamp with time zone[]) is 'for the application';
