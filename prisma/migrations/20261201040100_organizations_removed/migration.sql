-- runs with: 20261130050100_switched_off_by_scim
-- CreateTable
CREATE TABLE "organization_deletion" (
    "organization_id" UUID NOT NULL,
    "requested_by" UUID NOT NULL,
    "closed_at" TIMESTAMPTZ(3) NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "organization_deletion_pkey" PRIMARY KEY ("organization_id")
);

-- CreateTable
CREATE TABLE "removed_organization" (
    "id" UUID NOT NULL,
    "requested_by" UUID NOT NULL,
    "approved_by" UUID,
    "closed_at" TIMESTAMPTZ(3) NOT NULL,
    "begun_at" TIMESTAMPTZ(3) NOT NULL,
    "removed_at" TIMESTAMPTZ(3),
    "heads" JSONB NOT NULL,
    "removed" JSONB NOT NULL,

    CONSTRAINT "removed_organization_pkey" PRIMARY KEY ("id")
);
comment on table organization_deletion is 'read before the tenant is known';

-- Whether the present role is removing this organization: the only one that deletes what is written once.
create function is_being_removed(p_organization uuid)
returns boolean
language sql stable set search_path = public, pg_temp
as $$
  select exists (
      select from pg_proc p
      where p.oid = 'public.forget_audit(timestamptz, integer)'::regprocedure and p.proowner = current_user::regrole)
    and exists (select from removed_organization r where r.id = p_organization and r.removed_at is null)
$$;
revoke execute on function is_being_removed(uuid) from public;
comment on function is_being_removed(uuid) is 'for the application';

create function removed_organization_stays()
returns trigger
language plpgsql set search_path = public, pg_temp
as $$
begin
  if tg_op <> 'DELETE' and exists (
    select from pg_proc p
    where p.oid = 'public.forget_audit(timestamptz, integer)'::regprocedure and p.proowner = current_user::regrole)
  then
    return new;
  end if;
  raise exception 'What is kept of an organization is never changed.' using errcode = 'restrict_violation';
end
$$;
revoke execute on function removed_organization_stays() from public;
create trigger stays before insert or update or delete on removed_organization
  for each row execute function removed_organization_stays();

-- What is written once goes with its organization.
create or replace function refuse_change()
returns trigger
language plpgsql set search_path = public, pg_temp
as $$
begin
  if tg_op = 'DELETE' and is_being_removed(old.organization_id) then
    return old;
  end if;
  raise exception 'Rows of % are written once.', tg_table_name using errcode = 'insufficient_privilege';
end
$$;
create or replace function event_decision_stays()
returns trigger
language plpgsql set search_path = public, pg_temp
as $$
begin
  if tg_op = 'DELETE' and is_being_removed(old.organization_id) then
    return old;
  end if;
  if tg_op = 'UPDATE'
    and exists (
      select from pg_proc p
      where p.oid = 'public.forget_audit(timestamptz, integer)'::regprocedure and p.proowner = current_user::regrole)
    and to_jsonb(old) - 'principal_name' = to_jsonb(new) - 'principal_name'
  then
    return new;
  end if;
  raise exception 'Rows of % are written once.', tg_table_name using errcode = 'insufficient_privilege';
end
$$;
create or replace function journal_anchor_stays() returns trigger
language plpgsql set search_path = public, pg_temp
as $$
begin
  if tg_op = 'DELETE' and is_being_removed(old.organization_id) then
    return old;
  end if;
  raise exception 'A signed head is never changed.' using errcode = 'restrict_violation';
end
$$;
create or replace function ledger_archive_is_of_owner() returns trigger
language plpgsql set search_path = public, pg_temp
as $$
begin
  if tg_op = 'DELETE' and is_being_removed(old.organization_id) then
    return old;
  end if;
  if not pg_has_role(current_user, (select relowner from pg_class where oid = 'public.ledger_archive'::regclass), 'usage') then
    raise exception 'Only the owner of the tables archives a ledger.' using errcode = 'insufficient_privilege';
  end if;
  return coalesce(new, old);
end
$$;
-- Sums of spend go as well, so they do not follow what is removed.
do $$
declare
  present text := pg_get_functiondef('count_commitment()'::regprocedure);
  next text := regexp_replace(present, '\mbegin\M',
    'begin if tg_op = ''DELETE'' then if is_being_removed(old.organization_id) then return null; end if; end if;');
begin
  if length(next) <= length(present) then
    raise exception 'The function count_commitment is not as this migration knows it.';
  end if;
  execute next;
end
$$;

-- Lets the lookup role remove the rows of organizations that are being removed, and of no other.
create function let_rows_be_removed(tenant_table regclass, organization_column name default 'organization_id')
returns void
language plpgsql set search_path = public, pg_temp
as $$
declare
  lookup constant name := (
    select r.rolname from pg_proc p join pg_roles r on r.oid = p.proowner
    where p.oid = 'public.forget_audit(timestamptz, integer)'::regprocedure);
begin
  execute format('grant select, delete on %s to %I', tenant_table, lookup);
  execute format(
    'create policy being_removed on %s for select to %I
       using (%I in (select r.id from public.removed_organization r where r.removed_at is null))',
    tenant_table, lookup, organization_column);
  execute format(
    'create policy removal on %s for delete to %I
       using (%I in (select r.id from public.removed_organization r where r.removed_at is null))',
    tenant_table, lookup, organization_column);
end
$$;
revoke execute on function let_rows_be_removed(regclass, name) from public;
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
  perform let_rows_be_removed(tenant_table);
end
$$;
select stand_under_tenancy('organization_deletion');
-- Whoever may write the row does not shorten the waiting time, and does not end a removal that has begun.
create policy waits on organization_deletion as restrictive for insert
  with check (due_at > now() + interval '29 days');
create policy stays on organization_deletion as restrictive for update using (false);
create policy not_begun on organization_deletion as restrictive for delete
  using (is_being_removed(organization_id) or not exists (
    select from public.removed_organization r where r.id = organization_deletion.organization_id));
select let_rows_be_removed(c.oid::regclass) from pg_class c
where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  and c.relname <> 'organization_deletion'
  and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped);
select let_rows_be_removed('organization', 'id');

create function organizations_to_remove()
returns setof uuid
language sql stable security definer set search_path = public, pg_temp
as $$ select organization_id from organization_deletion where due_at <= now() order by due_at $$;
revoke execute on function organizations_to_remove() from public;
comment on function organizations_to_remove() is 'for the application';

-- Removes up to p_most rows of an organization whose time has come, from the tables at and after p_from by name, and
-- answers where the next part begins: an empty text from the beginning, null once nothing is left. Safe to repeat. It
-- names no tenant, so that no trigger writes a change or a notice of what goes.
create function remove_organization_part(p_organization uuid, p_from text, p_most integer)
returns text
language plpgsql security definer set search_path = public, pg_temp set jit = off
as $$
declare
  v_deletion organization_deletion;
  v_table name;
  v_key text;
  v_gone integer;
  v_left integer := p_most;
begin
  perform pg_advisory_xact_lock(hashtextextended('removal of ' || p_organization, 0));
  select * into v_deletion from organization_deletion where organization_id = p_organization and due_at <= now();
  if not found then
    return null;
  end if;
  insert into removed_organization (id, requested_by, closed_at, begun_at, heads, removed)
  values (p_organization, v_deletion.requested_by, v_deletion.closed_at, now(), '[]', '{}')
  on conflict (id) do nothing;
  if found then
    update removed_organization set
      approved_by = (
        select decided_by from control_request
        where organization_id = p_organization and kind = 'delete_organization' and state = 'approved'
        order by decided_at desc limit 1),
      heads = (
        select coalesce(jsonb_agg(to_jsonb(h) || jsonb_build_object('anchor', (
            select jsonb_build_object('number', a.number, 'made_at', a.made_at, 'jws', a.jws, 'key', a.key)
            from journal_anchor a where a.organization_id = h.organization_id and a.stream = h.stream
            order by a.made_at desc, a.id desc limit 1))), '[]')
        from journal_head h where h.organization_id = p_organization)
    where id = p_organization;
    delete from oauth_artifact
    where account in (select id::text from principal where organization_id = p_organization);
    delete from bi.reader where organization_id = p_organization;
  end if;
  -- By keys and not by places: under row-level security a place is compared only after every row was read.
  for v_table, v_key in
    select c.relname, (
      select string_agg(quote_ident(a.attname), ', ' order by k.place)
      from pg_index i cross join unnest(i.indkey) with ordinality as k (number, place)
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number
      where i.indrelid = c.oid and i.indisprimary)
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname >= p_from and c.relname <> 'organization_deletion'
      and exists (select from pg_attribute a
        where a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped)
    order by c.relname
  loop
    execute format(
      'with part as materialized (select %2$s from public.%1$I where organization_id = $1 limit $2)
       delete from public.%1$I where organization_id = $1 and (%2$s) in (select %2$s from part)', v_table, v_key)
    using p_organization, v_left;
    get diagnostics v_gone = row_count;
    if v_gone > 0 then
      update removed_organization
      set removed = jsonb_set(removed, array[v_table::text], to_jsonb(coalesce((removed ->> v_table)::bigint, 0) + v_gone))
      where id = p_organization;
      v_left := v_left - v_gone;
      if v_left <= 0 then
        return v_table;
      end if;
    end if;
  end loop;
  if p_from <> '' or v_left < p_most then
    return '';
  end if;
  delete from organization_deletion where organization_id = p_organization;
  delete from organization where id = p_organization;
  update removed_organization set removed_at = now() where id = p_organization;
  return null;
end
$$;
revoke execute on function remove_organization_part(uuid, text, integer) from public;
comment on function remove_organization_part(uuid, text, integer) is 'for the application';
select assign_lookup_functions();
do $$
declare
  lookup constant name := (
    select r.rolname from pg_proc p join pg_roles r on r.oid = p.proowner
    where p.oid = 'public.forget_audit(timestamptz, integer)'::regprocedure);
begin
  execute format('grant execute on function is_being_removed(uuid) to %I', lookup);
  execute format('grant select, insert, update on removed_organization to %I', lookup);
  execute format('grant select, delete on oauth_artifact to %I', lookup);
  execute format('grant usage on schema bi to %I', lookup);
  execute format('grant select, delete on bi.reader to %I', lookup);
end
$$;
