-- Two migrations each gave this function a column; here it has both.
drop function registered_signers();
create function registered_signers()
returns table (
  signer_id uuid, agent_url text, jwks_uri text, jwks jsonb, dialect text, allows_rsa_pss boolean, id uuid,
  organization_id uuid, name text, kind text, permissions jsonb, brand_domain text, transitional boolean,
  legacy boolean, created_at timestamptz, disabled_at timestamptz
)
language sql stable security definer set search_path = public, pg_temp
as $$
  select s.id, s.agent_url, s.jwks_uri, s.jwks, s.dialect, s.allows_rsa_pss, p.id, p.organization_id, p.name, p.kind,
         p.permissions, p.brand_domain, p.transitional, p.legacy, p.created_at, p.disabled_at
  from public.principal_signer s
  join public.principal p on p.id = s.principal_id and p.organization_id = s.organization_id
  where s.removed_at is null and p.disabled_at is null
  order by s.created_at, s.id
$$;
revoke execute on function registered_signers() from public;
comment on function registered_signers() is 'for the application';
