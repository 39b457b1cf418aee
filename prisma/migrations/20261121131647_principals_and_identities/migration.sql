-- AlterTable
ALTER TABLE "principal" ADD COLUMN     "brand_domain" TEXT;

-- AlterTable
ALTER TABLE "principal_token" ADD COLUMN     "permissions" JSONB,
ADD COLUMN     "scheme" TEXT NOT NULL DEFAULT 'bearer';

-- CreateTable
CREATE TABLE "principal_identity" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "principal_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "issuer" TEXT NOT NULL DEFAULT '',
    "subject" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "removed_at" TIMESTAMPTZ(3),

    CONSTRAINT "principal_identity_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "principal_identity_organization_id_principal_id_idx" ON "principal_identity"("organization_id", "principal_id");

select stand_under_tenancy('principal_identity');

-- A name stands for one principal in the whole installation, because it is how the tenant is found.
create unique index principal_identity_once on principal_identity (kind, issuer, subject) where removed_at is null;

drop function principal_by_token_hash(bytea);
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

drop function registered_signers();
create function registered_signers()
returns table (
  signer_id uuid, agent_url text, jwks_uri text, jwks jsonb, dialect text, id uuid, organization_id uuid, name text,
  kind text, permissions jsonb, brand_domain text, transitional boolean, legacy boolean, created_at timestamptz,
  disabled_at timestamptz
)
language sql stable security definer set search_path = public, pg_temp
as $$
  select s.id, s.agent_url, s.jwks_uri, s.jwks, s.dialect, p.id, p.organization_id, p.name, p.kind, p.permissions,
         p.brand_domain, p.transitional, p.legacy, p.created_at, p.disabled_at
  from public.principal_signer s
  join public.principal p on p.id = s.principal_id and p.organization_id = s.organization_id
  where s.removed_at is null and p.disabled_at is null
  order by s.created_at, s.id
$$;

-- Who a certificate or a token of an issuer stands for. A certificate carries several names; each is asked for, and
-- whoever calls refuses where they stand for more than one principal.
create function principals_by_identity(wanted_kind text, wanted_issuer text, wanted_subjects text[])
returns table (
  id uuid, organization_id uuid, name text, kind text, permissions jsonb, brand_domain text, transitional boolean,
  legacy boolean, created_at timestamptz, disabled_at timestamptz
)
language sql stable security definer set search_path = public, pg_temp
as $$
  select distinct p.id, p.organization_id, p.name, p.kind, p.permissions, p.brand_domain, p.transitional, p.legacy,
         p.created_at, p.disabled_at
  from public.principal_identity i
  join public.principal p on p.id = i.principal_id and p.organization_id = i.organization_id
  where i.kind = wanted_kind and i.issuer = wanted_issuer and i.subject = any (wanted_subjects)
    and i.removed_at is null
$$;

revoke execute on function principal_by_token_hash(bytea), registered_signers(),
  principals_by_identity(text, text, text[]) from public;
comment on function registered_signers() is 'for the application';
comment on function principals_by_identity(text, text, text[]) is 'for the application';
