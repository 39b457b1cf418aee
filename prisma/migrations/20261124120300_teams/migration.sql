-- runs with: 20261124065500_relay_admits_in_fewer_statements
-- Principals that hold roles together: a grant is a principal's or a team's, and who is in the team holds it.
create table team (
  id uuid primary key,
  organization_id uuid not null,
  name text not null,
  created_at timestamptz(3) not null
);
create unique index "team_organization_id_name_key" on team (organization_id, name);
create index "team_organization_id_created_at_id_idx" on team (organization_id, created_at, id);

create table team_member (
  organization_id uuid not null,
  team_id uuid not null,
  principal_id uuid not null,
  added_by uuid not null,
  added_at timestamptz(3) not null,
  primary key (organization_id, principal_id, team_id)
);
create index "team_member_organization_id_team_id_idx" on team_member (organization_id, team_id);

select stand_under_tenancy('team');
select stand_under_tenancy('team_member');
comment on table team_member is 'read before the tenant is known';

-- One of the two is set. A row with neither is held by nobody.
alter table access_grant add column team_id uuid, alter column principal_id drop not null;
create index access_grant_of_team on access_grant (organization_id, team_id, created_at, id)
  where team_id is not null and removed_at is null;

do $$
begin
  perform publish_changes('team', 'team', 'n.id', created => 'true');
  -- Of whoever comes or goes: what it may do changes, and its streams open again.
  perform publish_changes('team_member', 'grant', 'n.team_id', 'n.principal_id, null, null, null', created => 'true',
    removed => 'true');
end
$$;

-- Who is calling, with the grants of its teams: the columns are as before, so what a process has planned goes on.
drop function token_holder(bytea), identity_holders(text, text, text[]), signer_holders();

create function token_holder(hash bytea)
returns table (
  token_id uuid, label text, scheme text, token_permissions jsonb, token_created_at timestamptz,
  expires_at timestamptz, revoked_at timestamptz,
  id uuid, organization_id uuid, name text, kind text, permissions jsonb, brand_domain text, transitional boolean,
  legacy boolean, created_at timestamptz, disabled_at timestamptz, grants jsonb
)
language sql stable security definer set search_path = public, pg_temp
as $$
  select t.id, t.label, t.scheme, t.permissions, t.created_at, t.expires_at, t.revoked_at,
         p.id, p.organization_id, p.name, p.kind, p.permissions, p.brand_domain, p.transitional, p.legacy,
         p.created_at, p.disabled_at, (
           select jsonb_agg(jsonb_build_object(
                    'role', g.role, 'permissions', r.permissions, 'kind', g.scope_kind, 'id', g.scope_id)
                  order by g.created_at, g.id)
           from public.access_grant g
           left join public.role r on r.organization_id = g.organization_id and r.name = g.role
           where g.organization_id = p.organization_id and g.removed_at is null and (g.principal_id = p.id
             or g.team_id = any(array(select m.team_id from public.team_member m
               where m.organization_id = p.organization_id and m.principal_id = p.id))))
  from public.principal_token t
  join public.principal p on p.id = t.principal_id and p.organization_id = t.organization_id
  where t.token_hash = hash
$$;

create function identity_holders(wanted_kind text, wanted_issuer text, wanted_subjects text[])
returns table (
  id uuid, organization_id uuid, name text, kind text, permissions jsonb, brand_domain text, transitional boolean,
  legacy boolean, created_at timestamptz, disabled_at timestamptz, grants jsonb, is_proved boolean
)
language sql stable security definer set search_path = public, pg_temp
as $$
  select p.id, p.organization_id, p.name, p.kind, p.permissions, p.brand_domain, p.transitional, p.legacy,
         p.created_at, p.disabled_at, (
           select jsonb_agg(jsonb_build_object(
                    'role', g.role, 'permissions', r.permissions, 'kind', g.scope_kind, 'id', g.scope_id)
                  order by g.created_at, g.id)
           from public.access_grant g
           left join public.role r on r.organization_id = g.organization_id and r.name = g.role
           where g.organization_id = p.organization_id and g.removed_at is null and (g.principal_id = p.id
             or g.team_id = any(array(select m.team_id from public.team_member m
               where m.organization_id = p.organization_id and m.principal_id = p.id)))), i.is_proved
  from (
    select principal_id, organization_id, bool_or(proved_at is not null) as is_proved
    from public.principal_identity
    where kind = wanted_kind and issuer = wanted_issuer and subject = any (wanted_subjects) and removed_at is null
    group by principal_id, organization_id
  ) as i
  join public.principal p on p.id = i.principal_id and p.organization_id = i.organization_id
$$;

create function signer_holders()
returns table (
  signer_id uuid, agent_url text, jwks_uri text, jwks jsonb, agent_protocol text, found_jwks_uri text, dialect text,
  allows_rsa_pss boolean, proved_keys text[],
  id uuid, organization_id uuid, name text, kind text, permissions jsonb, brand_domain text, transitional boolean,
  legacy boolean, created_at timestamptz, disabled_at timestamptz, grants jsonb
)
language sql stable security definer set search_path = public, pg_temp
as $$
  select s.id, s.agent_url, s.jwks_uri, s.jwks, s.agent_protocol, s.found_jwks_uri, s.dialect, s.allows_rsa_pss,
         s.proved_keys, p.id, p.organization_id, p.name, p.kind, p.permissions, p.brand_domain, p.transitional, p.legacy,
         p.created_at, p.disabled_at, (
           select jsonb_agg(jsonb_build_object(
                    'role', g.role, 'permissions', r.permissions, 'kind', g.scope_kind, 'id', g.scope_id)
                  order by g.created_at, g.id)
           from public.access_grant g
           left join public.role r on r.organization_id = g.organization_id and r.name = g.role
           where g.organization_id = p.organization_id and g.removed_at is null and (g.principal_id = p.id
             or g.team_id = any(array(select m.team_id from public.team_member m
               where m.organization_id = p.organization_id and m.principal_id = p.id))))
  from public.principal_signer s
  join public.principal p on p.id = s.principal_id and p.organization_id = s.organization_id
  where s.removed_at is null and p.disabled_at is null
  order by s.created_at, s.id
$$;

revoke execute on function token_holder(bytea), identity_holders(text, text, text[]), signer_holders() from public;
comment on function token_holder(bytea) is 'for the application';
comment on function identity_holders(text, text, text[]) is 'for the application';
comment on function signer_holders() is 'for the application';
select assign_lookup_functions();
