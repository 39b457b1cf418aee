-- AlterTable
ALTER TABLE "principal_identity" ADD COLUMN     "proved_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "principal_signer" ADD COLUMN     "proved_keys" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- A name outside stands for one principal of each organization. Which of several organizations it tells of is decided
-- by proof, so none can take it from another by being the first.
drop index principal_identity_once;
create unique index principal_identity_once on principal_identity (kind, issuer, subject, organization_id)
  where removed_at is null;

drop function principals_by_identity(text, text, text[]);
create function principals_by_identity(wanted_kind text, wanted_issuer text, wanted_subjects text[])
returns table (
  id uuid, organization_id uuid, name text, kind text, permissions jsonb, brand_domain text, transitional boolean,
  legacy boolean, created_at timestamptz, disabled_at timestamptz, is_proved boolean
)
language sql stable security definer set search_path = public, pg_temp
as $$
  select p.id, p.organization_id, p.name, p.kind, p.permissions, p.brand_domain, p.transitional, p.legacy,
         p.created_at, p.disabled_at, i.is_proved
  from (
    select principal_id, organization_id, bool_or(proved_at is not null) as is_proved
    from public.principal_identity
    where kind = wanted_kind and issuer = wanted_issuer and subject = any (wanted_subjects) and removed_at is null
    group by principal_id, organization_id
  ) as i
  join public.principal p on p.id = i.principal_id and p.organization_id = i.organization_id
$$;

drop function registered_signers();
create function registered_signers()
returns table (
  signer_id uuid, agent_url text, jwks_uri text, jwks jsonb, agent_protocol text, found_jwks_uri text, dialect text,
  allows_rsa_pss boolean, proved_keys text[], id uuid, organization_id uuid, name text, kind text, permissions jsonb,
  brand_domain text, transitional boolean, legacy boolean, created_at timestamptz, disabled_at timestamptz
)
language sql stable security definer set search_path = public, pg_temp
as $$
  select s.id, s.agent_url, s.jwks_uri, s.jwks, s.agent_protocol, s.found_jwks_uri, s.dialect, s.allows_rsa_pss,
         s.proved_keys, p.id, p.organization_id, p.name, p.kind, p.permissions, p.brand_domain, p.transitional,
         p.legacy, p.created_at, p.disabled_at
  from public.principal_signer s
  join public.principal p on p.id = s.principal_id and p.organization_id = s.organization_id
  where s.removed_at is null and p.disabled_at is null
  order by s.created_at, s.id
$$;
revoke execute on function principals_by_identity(text, text, text[]), registered_signers() from public;
comment on function principals_by_identity(text, text, text[]) is 'for the application';
comment on function registered_signers() is 'for the application';
select assign_lookup_functions();
