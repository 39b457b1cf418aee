-- runs with: 20261130040200_scim
-- The end of an act is written once. The erasure of a person changes names in its row, and nothing else.
create or replace function audit_event_ends_once()
returns trigger
language plpgsql set search_path = public, pg_temp
as $$
begin
  if old.outcome = 'begun' then
    return new;
  end if;
  if exists (
      select from pg_proc p
      where p.oid = 'public.forget_audit(timestamptz, integer)'::regprocedure and p.proowner = current_user::regrole)
    and (old.id, old.organization_id, old.at, old.actor_id, old.action, old.object_kind, old.object_id, old.outcome,
         old.code, old.request_id, old.ended_at)
      is not distinct from
        (new.id, new.organization_id, new.at, new.actor_id, new.action, new.object_kind, new.object_id, new.outcome,
         new.code, new.request_id, new.ended_at)
  then
    return new;
  end if;
  raise exception 'the end of an act is written once' using errcode = 'integrity_constraint_violation';
end
$$;

-- Replaces the names of a person in the newest acts of the tenant before a place, and answers the place where to go on.
create function erase_from_audit(
  p_organization uuid, p_names text[], p_pattern text, p_with text, p_at timestamptz, p_id bigint, p_most integer)
returns table (at timestamptz, id bigint)
language sql security definer set search_path = public, pg_temp
as $$
  with part as materialized (
    select e.id, e.at from audit_event e
    where e.organization_id = p_organization and (e.at, e.id) < (p_at, p_id)
    order by e.at desc, e.id desc limit p_most
  ), changed as (
    update audit_event e set
      actor_name = case when e.actor_name = any(p_names) then p_with else e.actor_name end,
      object_name = case when e.object_name = any(p_names) then p_with else e.object_name end,
      detail = regexp_replace(e.detail::text, p_pattern, p_with, 'gi')::jsonb
    from part p
    where e.id = p.id and e.organization_id = p_organization
      and (e.actor_name = any(p_names) or e.object_name = any(p_names) or e.detail::text ~* p_pattern)
    returning 1
  )
  select p.at, p.id from part p where (select count(*) from changed) >= 0 order by p.at, p.id limit 1
$$;
revoke execute on function erase_from_audit(uuid, text[], text, text, timestamptz, bigint, integer) from public;
comment on function erase_from_audit(uuid, text[], text, text, timestamptz, bigint, integer) is 'for the application';

-- A decision is written once. The erasure of a person changes the name in it, and nothing else.
create function event_decision_stays()
returns trigger
language plpgsql set search_path = public, pg_temp
as $$
begin
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
revoke execute on function event_decision_stays() from public;
drop trigger written_once on event_decision;
create trigger written_once before delete or update on event_decision for each row execute function event_decision_stays();

create function erase_from_decisions(p_organization uuid, p_principal uuid, p_with text)
returns void
language sql security definer set search_path = public, pg_temp
as $$
  update event_decision set principal_name = p_with where organization_id = p_organization and principal_id = p_principal
$$;
revoke execute on function erase_from_decisions(uuid, uuid, text) from public;
comment on function erase_from_decisions(uuid, uuid, text) is 'for the application';
select assign_lookup_functions();

-- The lookup role sees the tenant's rows alone, as everybody does: the policy of tenants has no role.
do $$
declare
  lookup constant name := (
    select r.rolname from pg_proc p join pg_roles r on r.oid = p.proowner
    where p.oid = 'public.forget_audit(timestamptz, integer)'::regprocedure);
begin
  execute format('grant update (actor_name, object_name, detail) on audit_event to %I', lookup);
  execute format('grant select, update (principal_name) on event_decision to %I', lookup);
end
$$;
