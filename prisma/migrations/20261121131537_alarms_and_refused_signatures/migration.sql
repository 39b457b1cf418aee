-- AlterTable
ALTER TABLE "connection" ADD COLUMN     "found_jwks_uri" TEXT;

-- AlterTable
ALTER TABLE "principal_signer" ADD COLUMN     "allows_rsa_pss" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "alarm" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "detail" JSONB NOT NULL,
    "first_at" TIMESTAMPTZ(3) NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,
    "count" INTEGER NOT NULL DEFAULT 1,
    "acknowledged_at" TIMESTAMPTZ(3),
    "acknowledged_by" TEXT,
    "reason" TEXT,

    CONSTRAINT "alarm_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "refused_signature" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "is_stranger" BOOLEAN NOT NULL,
    "code" TEXT NOT NULL,
    "keyid" TEXT,
    "agent_url" TEXT,
    "principal_name" TEXT,
    "method" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "steps" JSONB NOT NULL,
    "refused_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "refused_signature_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "seen_key" (
    "organization_id" UUID NOT NULL,
    "surface" TEXT NOT NULL,
    "agent_url" TEXT NOT NULL,
    "keyid" TEXT NOT NULL,
    "first_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "seen_key_pkey" PRIMARY KEY ("organization_id","surface","agent_url","keyid")
);

-- CreateTable
CREATE TABLE "trust_document" (
    "url" TEXT NOT NULL,
    "content" JSONB NOT NULL,
    "fetched_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "trust_document_pkey" PRIMARY KEY ("url")
);

-- CreateIndex
CREATE INDEX "alarm_organization_id_last_at_idx" ON "alarm"("organization_id", "last_at");

-- CreateIndex
CREATE INDEX "refused_signature_organization_id_refused_at_idx" ON "refused_signature"("organization_id", "refused_at");

-- CreateIndex
CREATE INDEX "seen_key_organization_id_first_at_idx" ON "seen_key"("organization_id", "first_at");

select stand_under_tenancy('alarm');
select stand_under_tenancy('refused_signature');
select stand_under_tenancy('seen_key');

-- What happens again while nobody has looked is counted on the row that is there.
create unique index alarm_one_open on alarm (organization_id, kind, subject) where acknowledged_at is null;

-- One more column than before: what a function returns cannot be changed in place.
drop function registered_signers();
create function registered_signers()
returns table (
  signer_id uuid, agent_url text, jwks_uri text, jwks jsonb, dialect text, allows_rsa_pss boolean, id uuid,
  organization_id uuid, name text, kind text, permissions jsonb, transitional boolean, legacy boolean,
  created_at timestamptz, disabled_at timestamptz
)
language sql stable security definer set search_path = public, pg_temp
as $$
  select s.id, s.agent_url, s.jwks_uri, s.jwks, s.dialect, s.allows_rsa_pss, p.id, p.organization_id, p.name, p.kind,
         p.permissions, p.transitional, p.legacy, p.created_at, p.disabled_at
  from public.principal_signer s
  join public.principal p on p.id = s.principal_id and p.organization_id = s.organization_id
  where s.removed_at is null and p.disabled_at is null
  order by s.created_at, s.id
$$;
revoke execute on function registered_signers() from public;
comment on function registered_signers() is 'for the application';
