-- A person's e-mail address and the Argon2id hash of the password. The address is unique on the installation, for it is
-- how the organization is found.
CREATE TABLE "person_password" (
    "principal_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "failed_attempts" INTEGER NOT NULL DEFAULT 0,
    "locked_until" TIMESTAMPTZ(3),
    "changed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "person_password_pkey" PRIMARY KEY ("principal_id")
);
CREATE UNIQUE INDEX "person_password_email_key" ON "person_password"("email");
CREATE INDEX "person_password_organization_id_idx" ON "person_password"("organization_id");

select stand_under_tenancy('person_password');
comment on table person_password is 'read before the tenant is known';

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
select assign_lookup_functions();
