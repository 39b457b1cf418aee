-- An address that a person has set is a name to sign in with; what it proves stands in a table of its own. All processes
-- have to be stopped: the version before expects one person for each address.
create table "proved_address" (
    "organization_id" uuid not null,
    "principal_id" uuid not null,
    "email" text not null,
    "proved_by" text not null,
    "proved_at" timestamptz(3) not null,

    constraint "proved_address_pkey" primary key ("organization_id", "principal_id", "email")
);
create index "proved_address_email_idx" on "proved_address" ("email");
select stand_under_tenancy('proved_address');
comment on table proved_address is 'read before the tenant is known';

-- Whoever accepted an invitation came by the link that was sent to its address.
alter table invitation no force row level security;
alter table proved_address no force row level security;
insert into proved_address (organization_id, principal_id, email, proved_by, proved_at)
select organization_id, principal_id, lower(email), 'invitation', max(accepted_at) from invitation
where accepted_at is not null and principal_id is not null group by 1, 2, 3;
alter table invitation force row level security;
alter table proved_address force row level security;

drop index "person_password_email_key";
create index "person_password_email_idx" on "person_password" ("email");
create index "organization_domain_idx" on "organization" ("domain");

-- Everybody who signs in with an address: those that have proved it first, then the oldest.
drop function password_holder(text);
create function password_holders(wanted_email text)
returns table (organization_id uuid, principal_id uuid, hash text)
language sql stable security definer set search_path = public, pg_temp
as $$
  select w.organization_id, w.principal_id, w.hash
  from public.person_password w
  join public.principal p on p.id = w.principal_id and p.organization_id = w.organization_id
  where w.email = wanted_email and p.disabled_at is null
  order by exists (select from public.proved_address a
             where a.organization_id = w.organization_id and a.principal_id = w.principal_id and a.email = w.email) desc,
           p.created_at, p.id
$$;

create function address_holders(wanted_email text)
returns table (organization_id uuid, principal_id uuid)
language sql stable security definer set search_path = public, pg_temp
as $$
  select a.organization_id, a.principal_id
  from public.proved_address a
  join public.principal p on p.id = a.principal_id and p.organization_id = a.organization_id
  where a.email = wanted_email and p.disabled_at is null
  order by a.proved_at, a.principal_id
$$;

create function domain_owners(wanted_domains text[])
returns table (organization_id uuid, domain text)
language sql stable security definer set search_path = public, pg_temp
as $$
  select o.id, o.domain from public.organization o
  where o.domain = any (wanted_domains) and o.domain_proved_at is not null
$$;

revoke execute on function password_holders(text), address_holders(text), domain_owners(text[]) from public;
comment on function password_holders(text) is 'for the application';
comment on function address_holders(text) is 'for the application';
comment on function domain_owners(text[]) is 'for the application';
select assign_lookup_functions();
