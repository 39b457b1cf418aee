-- runs with: 20261123210500_passwords
-- Public keys of people's authenticators (WebAuthn). The id of a credential is unique on the installation, for it is how
-- the organization is found.
CREATE TABLE "person_passkey" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "principal_id" UUID NOT NULL,
    "credential_id" TEXT NOT NULL,
    "public_key" BYTEA NOT NULL,
    "counter" BIGINT NOT NULL,
    "transports" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "person_passkey_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "person_passkey_credential_id_key" ON "person_passkey"("credential_id");
CREATE INDEX "person_passkey_organization_id_principal_id_idx" ON "person_passkey"("organization_id", "principal_id");

select stand_under_tenancy('person_passkey');
comment on table person_passkey is 'read before the tenant is known';

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
select assign_lookup_functions();
