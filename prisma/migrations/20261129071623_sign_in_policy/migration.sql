-- How the people of an organization sign in, and what of it stands on a session. All processes have to be stopped: the
-- function that finds a token answers more members.
alter table "principal_token" add column "authenticated_at" timestamptz(3),
add column "factor_due" boolean not null default false;

create table "sign_in_policy" (
    "organization_id" uuid not null,
    "second_factor" text,
    "second_factor_roles" text[] default array[]::text[],
    "step_up_minutes" integer,
    "idle_minutes" integer,
    "set_at" timestamptz(3) not null,
    "set_by" uuid not null,

    constraint "sign_in_policy_pkey" primary key ("organization_id")
);
select stand_under_tenancy('sign_in_policy');
comment on table sign_in_policy is 'read before the tenant is known';

drop function token_holder(bytea);
create function token_holder(hash bytea)
returns table (
  token_id uuid, label text, scheme text, token_permissions jsonb, token_created_at timestamptz,
  expires_at timestamptz, revoked_at timestamptz, last_used_at timestamptz, authenticated_at timestamptz,
  factor_due boolean, step_up_minutes integer, idle_minutes integer,
  id uuid, organization_id uuid, name text, kind text, permissions jsonb, brand_domain text, transitional boolean,
  legacy boolean, created_at timestamptz, disabled_at timestamptz, grants jsonb
)
language sql stable security definer set search_path = public, pg_temp
as $$
  select t.id, t.label, t.scheme, t.permissions, t.created_at, t.expires_at, t.revoked_at, t.last_used_at,
         t.authenticated_at, t.factor_due, s.step_up_minutes, s.idle_minutes,
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
  left join public.sign_in_policy s on s.organization_id = t.organization_id
  where t.token_hash = hash
$$;
revoke execute on function token_holder(bytea) from public;
comment on function token_holder(bytea) is 'for the application';
select assign_lookup_functions();
