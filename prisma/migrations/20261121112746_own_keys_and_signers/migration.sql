-- AlterTable
ALTER TABLE "signing_key" ADD COLUMN     "kms_key_id" TEXT,
ADD COLUMN     "live_at" TIMESTAMPTZ(3),
ADD COLUMN     "retiring_at" TIMESTAMPTZ(3),
ALTER COLUMN "credential_id" DROP NOT NULL;

-- CreateTable
CREATE TABLE "principal_signer" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "principal_id" UUID NOT NULL,
    "agent_url" TEXT NOT NULL,
    "jwks_uri" TEXT,
    "jwks" JSONB,
    "dialect" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "removed_at" TIMESTAMPTZ(3),

    CONSTRAINT "principal_signer_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "principal_signer_organization_id_principal_id_idx" ON "principal_signer"("organization_id", "principal_id");

select stand_under_tenancy('principal_signer');

-- One key signs for a principal, and one waits: two processes that both find none cannot both make one.
create unique index signing_key_one_live on signing_key (organization_id, principal_id) where state = 'live';
create unique index signing_key_one_published on signing_key (organization_id, principal_id) where state = 'published';

-- A signed request names a key and no tenant: whose key it is has to be found before the tenant is known.
create function registered_signers()
returns table (
  signer_id uuid, agent_url text, jwks_uri text, jwks jsonb, dialect text, id uuid, organization_id uuid, name text,
  kind text, permissions jsonb, transitional boolean, legacy boolean, created_at timestamptz, disabled_at timestamptz
)
language sql stable security definer set search_path = public, pg_temp
as $$
  select s.id, s.agent_url, s.jwks_uri, s.jwks, s.dialect, p.id, p.organization_id, p.name, p.kind, p.permissions,
         p.transitional, p.legacy, p.created_at, p.disabled_at
  from public.principal_signer s
  join public.principal p on p.id = s.principal_id and p.organization_id = s.organization_id
  where s.removed_at is null and p.disabled_at is null
  order by s.created_at, s.id
$$;

-- Keys whose private half lies in a key service: a start compares what is published with what that service has.
create function remote_signing_keys()
returns table (kid text, kms_key_id text, public_jwk jsonb)
language sql stable security definer set search_path = public, pg_temp
as $$
  select kid, kms_key_id, public_jwk from public.signing_key where kms_key_id is not null and retired_at is null
  order by created_at, kid
$$;
revoke execute on function registered_signers(), remote_signing_keys() from public;

-- A function that a later migration adds for the application says so in its comment, and is granted with the rest:
-- a list in one place would have to be written anew by each of them.
comment on function registered_signers() is 'for the application';
comment on function remote_signing_keys() is 'for the application';

create or replace function grant_to_application(application name)
returns void
language plpgsql set search_path = public, pg_temp
as $$
declare
  append_only constant name[] := array['ledger_entry', 'ledger_posting', 'journal_block', 'report_version', 'credential_use'];
  each_table name;
  each_function regprocedure;
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
  for each_function in
    select p.oid::regprocedure from pg_proc p
    where p.pronamespace = 'public'::regnamespace and obj_description(p.oid, 'pg_proc') = 'for the application'
  loop
    execute format('grant execute on function %s to %I', each_function, application);
  end loop;
end
$$;
