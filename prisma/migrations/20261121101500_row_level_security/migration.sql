-- The second lock of tenancy. The first is the code, which passes a tenant scope to every repository function; this
-- one holds when the code forgets: without a scope the application sees no row, and under one tenant's scope it
-- neither reads nor writes another's.
--
-- A transaction names its tenant by set_config('switchyard.organization_id', <uuid>, true). Where nothing is set the
-- setting reads as null or as an empty text; nullif makes both null, and a comparison with null is never true.

-- 1. Tenant tables: every table that carries organization_id. Later migrations call the same function for theirs; a
--    test reads the catalog and fails for a table that was forgotten.
create function stand_under_tenancy(tenant_table regclass)
returns void
language plpgsql set search_path = public, pg_temp
as $$
begin
  execute format('alter table %s enable row level security', tenant_table);
  execute format(
    'create policy tenant on %s for all
       using (organization_id = nullif(current_setting(''switchyard.organization_id'', true), '''')::uuid)
       with check (organization_id = nullif(current_setting(''switchyard.organization_id'', true), '''')::uuid)',
    tenant_table);
end
$$;
revoke execute on function stand_under_tenancy(regclass) from public;

select stand_under_tenancy('principal');
select stand_under_tenancy('principal_token');
select stand_under_tenancy('principal_account');
select stand_under_tenancy('connection');
select stand_under_tenancy('connection_health');
select stand_under_tenancy('credential');
select stand_under_tenancy('credential_use');
select stand_under_tenancy('signing_key');
select stand_under_tenancy('offered_product');
select stand_under_tenancy('operation');
select stand_under_tenancy('leg');
select stand_under_tenancy('media_buy');
select stand_under_tenancy('seller_buy');
select stand_under_tenancy('buy_package');
select stand_under_tenancy('webhook_registration');
select stand_under_tenancy('inbox_event');
select stand_under_tenancy('report_version');
select stand_under_tenancy('journal_block');
select stand_under_tenancy('journal_head');
select stand_under_tenancy('ledger_entry');
select stand_under_tenancy('ledger_posting');
select stand_under_tenancy('ledger_balance');

-- 2. The tenant itself is one of its own rows.
alter table organization enable row level security;
create policy tenant on organization for all
  using (id = nullif(current_setting('switchyard.organization_id', true), '')::uuid)
  with check (id = nullif(current_setting('switchyard.organization_id', true), '')::uuid);

-- 3. webhook_claim and signature_nonce are keyed by the sender, who may reach several tenants; instance_note belongs
--    to the installation. They hold no tenant's data and stand outside.

-- 4. What has to be found before the tenant is known. Each function answers one narrow question with the owner's
--    rights. The search path is pinned, so that a caller cannot slip a table of its own in front of ours.
create function principal_by_token_hash(hash bytea)
returns table (
  token_id uuid, label text, token_created_at timestamptz, expires_at timestamptz, revoked_at timestamptz, id uuid,
  organization_id uuid, name text, kind text, permissions jsonb, transitional boolean, legacy boolean,
  created_at timestamptz, disabled_at timestamptz
)
language sql stable security definer set search_path = public, pg_temp
as $$
  select t.id, t.label, t.created_at, t.expires_at, t.revoked_at, p.id, p.organization_id, p.name, p.kind, p.permissions, p.transitional,
         p.legacy, p.created_at, p.disabled_at
  from public.principal_token t
  join public.principal p on p.id = t.principal_id and p.organization_id = t.organization_id
  where t.token_hash = hash
$$;

-- With what its connection says of the sender: who may use the address, and in which dialect it signs.
create function webhook_registration_by_id(registration_id text)
returns table (
  id text, organization_id uuid, connection_id uuid, leg_id uuid, operation_id uuid, kind text, mode text,
  seller_operation_id text, dialect text, agent_url text
)
language sql stable security definer set search_path = public, pg_temp
as $$
  select r.id, r.organization_id, r.connection_id, r.leg_id, r.operation_id, r.kind, r.mode, r.seller_operation_id,
         c.dialect, c.agent_url
  from public.webhook_registration r
  join public.connection c on c.id = r.connection_id and c.organization_id = r.organization_id
  where r.id = registration_id
$$;

create function organization_ids()
returns table (id uuid)
language sql stable security definer set search_path = public, pg_temp
as $$ select id from public.organization order by created_at, id $$;

create function public_organization()
returns setof organization
language sql stable security definer set search_path = public, pg_temp
as $$ select * from public.organization where is_public order by created_at, id limit 1 $$;

create function organization_by_slug(wanted text)
returns setof organization
language sql stable security definer set search_path = public, pg_temp
as $$ select * from public.organization where slug = wanted $$;

-- Public halves alone: what the JWKS of this installation publishes.
create function published_signing_keys()
returns table (kid text, public_jwk jsonb, state text)
language sql stable security definer set search_path = public, pg_temp
as $$ select kid, public_jwk, state from public.signing_key where retired_at is null order by created_at, kid $$;

revoke execute on function principal_by_token_hash(bytea), webhook_registration_by_id(text), organization_ids(),
  public_organization(), organization_by_slug(text), published_signing_keys() from public;

-- 5. What the application's role may do. The migration runner calls this after every run, so a table of a later
--    migration is covered without a line of its own; one that is append-only joins the list by replacing the function.
--    Append-only by grant: what was once observed, posted or used is never edited and never removed.
create function grant_to_application(application name)
returns void
language plpgsql set search_path = public, pg_temp
as $$
declare
  append_only constant name[] := array['ledger_entry', 'ledger_posting', 'journal_block', 'report_version', 'credential_use'];
  each_table name;
begin
  execute format('grant usage on schema public to %I', application);
  for each_table in
    select tablename from pg_tables where schemaname = 'public' and tablename <> '_prisma_migrations'
  loop
    execute format('grant select, insert on public.%I to %I', each_table, application);
    if each_table = any (append_only) then
      execute format('revoke update, delete, truncate on public.%I from %I', each_table, application);
    else
      execute format('grant update, delete on public.%I to %I', each_table, application);
    end if;
  end loop;
  -- A newer version of a report takes this mark from the one before it; its figures stay.
  execute format('grant update (is_current) on public.report_version to %I', application);
  execute format('grant usage on all sequences in schema public to %I', application);
  execute format('grant select on public._prisma_migrations to %I', application);
  execute format(
    'grant execute on function principal_by_token_hash(bytea), webhook_registration_by_id(text), organization_ids(),
       public_organization(), organization_by_slug(text), published_signing_keys() to %I', application);
end
$$;
revoke execute on function grant_to_application(name) from public;
