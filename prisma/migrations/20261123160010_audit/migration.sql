-- runs with: 20261123120400_journal_checkpoints
-- CreateTable
CREATE TABLE "audit_event" (
    "id" BIGSERIAL NOT NULL,
    "organization_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "actor_id" UUID,
    "actor_name" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "object_kind" TEXT,
    "object_id" TEXT,
    "object_name" TEXT,
    "outcome" TEXT NOT NULL,
    "code" TEXT,
    "detail" JSONB NOT NULL,
    "request_id" TEXT,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "audit_event_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "audit_event_organization_id_at_id_idx" ON "audit_event"("organization_id", "at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "audit_event_organization_id_actor_id_at_id_idx" ON "audit_event"("organization_id", "actor_id", "at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "audit_event_organization_id_action_at_id_idx" ON "audit_event"("organization_id", "action", "at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "audit_event_organization_id_object_id_at_id_idx" ON "audit_event"("organization_id", "object_id", "at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "audit_event_organization_id_object_name_at_id_idx" ON "audit_event"("organization_id", "object_name", "at" DESC, "id" DESC);

select stand_under_tenancy('audit_event');

-- 1. A row is written once and its end is added once. The application has no right to any other change; this holds for
--    whoever has one.
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
create trigger audit_event_ends_once before update on audit_event
  for each row execute function audit_event_ends_once();

create or replace function grant_to_application(application name)
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

-- 2. What is beyond its retention is forgotten by a function, since the application removes nothing from either table.
--    Its role removes nothing that is younger than 30 days, whatever it is asked for. Ids follow time, so the oldest
--    rows are found without an index of their own.
comment on table audit_event is 'read before the tenant is known';
comment on table credential_use is 'read before the tenant is known';

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
revoke execute on function forget_audit(timestamptz, integer) from public;
comment on function forget_audit(timestamptz, integer) is 'for the application';
select assign_lookup_functions();

do $$
declare
  lookup constant name := (
    select r.rolname from pg_proc p join pg_roles r on r.oid = p.proowner
    where p.oid = 'public.forget_audit(timestamptz, integer)'::regprocedure);
begin
  execute format('grant delete on audit_event, credential_use to %I', lookup);
  execute format(
    'create policy beyond_retention on audit_event for delete to %I using (at < now() - interval ''30 days'')', lookup);
  execute format(
    'create policy beyond_retention on credential_use for delete to %I using (used_at < now() - interval ''30 days'')', lookup);
end
$$;
