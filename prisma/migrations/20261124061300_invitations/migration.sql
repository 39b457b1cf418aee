-- runs with: 20261123210500_passwords
-- Who is let in with which role and scope once it takes the invitation up: by its link, or by another provider that
-- vouches for its e-mail address.
CREATE TABLE "invitation" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "scope_kind" TEXT NOT NULL,
    "scope_id" TEXT NOT NULL DEFAULT '',
    "token_hash" BYTEA NOT NULL,
    "invited_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "withdrawn_at" TIMESTAMPTZ(3),
    "accepted_at" TIMESTAMPTZ(3),
    "principal_id" UUID,

    CONSTRAINT "invitation_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "invitation_token_hash_key" ON "invitation"("token_hash");
CREATE INDEX "invitation_email_idx" ON "invitation"("email");
CREATE INDEX "invitation_organization_id_created_at_id_idx" ON "invitation"("organization_id", "created_at" DESC, "id" DESC);

select stand_under_tenancy('invitation');
comment on table invitation is 'read before the tenant is known';

-- Open ones by their link or by an e-mail address. What somebody was invited to by a person who is switched off is over.
create function open_invitations(wanted_hash bytea, wanted_email text, wanted_at timestamptz)
returns setof invitation
language sql stable security definer set search_path = public, pg_temp
as $$
  select i.* from public.invitation i
  join public.principal p on p.id = i.invited_by and p.organization_id = i.organization_id and p.disabled_at is null
  where (i.token_hash = wanted_hash or i.email = wanted_email)
    and i.expires_at > wanted_at and i.withdrawn_at is null and i.accepted_at is null
  order by i.created_at desc
$$;
revoke execute on function open_invitations(bytea, text, timestamptz) from public;
comment on function open_invitations(bytea, text, timestamptz) is 'for the application';
select assign_lookup_functions();
