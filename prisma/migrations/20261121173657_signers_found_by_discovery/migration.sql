-- AlterTable
ALTER TABLE "principal_signer" ADD COLUMN     "agent_protocol" TEXT,
ADD COLUMN     "found_jwks_uri" TEXT;

-- One way to its keys each, and what is discovered is asked over a protocol that we speak.
alter table principal_signer add constraint principal_signer_one_way_to_keys check (
  num_nonnulls(jwks_uri, jwks, agent_protocol) = 1
  and (agent_protocol is null or agent_protocol in ('mcp', 'a2a'))
  and (found_jwks_uri is null or agent_protocol is not null)
);
drop function registered_signers();
create function registered_signers()
returns table (
  signer_id uuid, agent_url text, jwks_uri text, jwks jsonb, agent_protocol text, found_jwks_uri text, dialect text,
  allows_rsa_pss boolean, id uuid, organization_id uuid, name text, kind text, permissions jsonb, brand_domain text,
  transitional boolean, legacy boolean, created_at timestamptz, disabled_at timestamptz
)
language sql stable security definer set search_path = public, pg_temp
as $$
  select s.id, s.agent_url, s.jwks_uri, s.jwks, s.agent_protocol, s.found_jwks_uri, s.dialect, s.allows_rsa_pss, p.id,
         p.organization_id, p.name, p.kind, p.permissions, p.brand_domain, p.transitional, p.legacy, p.created_at,
         p.disabled_at
  from public.principal_signer s
  join public.principal p on p.id = s.principal_id and p.organization_id = s.organization_id
  where s.removed_at is null and p.disabled_at is null
  order by s.created_at, s.id
$$;
revoke execute on function registered_signers() from public;
comment on function registered_signers() is 'for the application';
