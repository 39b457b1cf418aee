-- Row-level security binds the owner of the tables as well. Only a superuser is above it.
--
-- The functions that answer before the tenant is known then need a role of their own. It cannot log in, it may read the
-- tables that these functions read, and it may change nothing.

-- 1. The tables. A later migration that has to change rows of a tenant's table lifts this inside its own transaction:
--    alter table t no force row level security; ...; alter table t force row level security;
create or replace function stand_under_tenancy(tenant_table regclass)
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

do $$
declare
  each_table regclass;
begin
  for each_table in select polrelid::regclass from pg_policy where polname = 'tenant' loop
    execute format('alter table %s force row level security', each_table);
  end loop;
end
$$;

-- 2. What the functions read, and what they call. A later migration marks its own with the same comments.
comment on table organization is 'read before the tenant is known';
comment on table principal is 'read before the tenant is known';
comment on table principal_token is 'read before the tenant is known';
comment on table principal_signer is 'read before the tenant is known';
comment on table principal_identity is 'read before the tenant is known';
comment on table signing_key is 'read before the tenant is known';
comment on table connection is 'read before the tenant is known';
comment on table webhook_registration is 'read before the tenant is known';
comment on table seller_buy is 'read before the tenant is known';
comment on table leg is 'read before the tenant is known';
comment on table creative_placement is 'read before the tenant is known';
comment on table signal_activation is 'read before the tenant is known';
comment on function may_be_one_account(public.connection, public.connection) is 'for the lookup role';

-- 3. Gives every function that runs with its owner's rights to the lookup role, and the role what they need. The
--    migration runner calls this at each start as well; where nothing is missing it changes nothing.
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
select assign_lookup_functions();

-- 4. Partitions do not inherit row-level security. They are reached through their table alone: no role of ours has a
--    grant on one, and a partition without a policy shows nothing.
create or replace function grant_to_application(application name)
returns void
language plpgsql set search_path = public, pg_temp
as $$
declare
  append_only constant name[] := array['ledger_entry', 'ledger_posting', 'journal_block', 'report_version', 'credential_use'];
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
