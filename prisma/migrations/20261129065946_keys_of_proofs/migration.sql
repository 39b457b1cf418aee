-- No version before this one runs with it: it cannot read keys that belong to no principal. Stop all processes first.
-- Statements and heads of chains are signed by a key of the organization's own, which names no principal. Keys that were
-- made before may have signed such documents, so they stay published after they are retired.
alter table signing_key add column signs_proofs boolean not null default false;
alter table signing_key no force row level security, disable trigger user;
update signing_key set signs_proofs = true;
alter table signing_key force row level security, enable trigger user;

-- Public keys that messages of counterparties verified with. One row for each key, and none for each message.
create table sender_key (
  organization_id uuid not null,
  sender text not null,
  keyid text not null,
  thumbprint text not null,
  public_jwk jsonb not null,
  first_at timestamptz(3) not null,
  constraint sender_key_pkey primary key (organization_id, sender, keyid, thumbprint)
);
select stand_under_tenancy('sender_key');

-- Whose each key is: the organization's domain, and whether it has proved it.
drop function published_signing_keys();
create function published_signing_keys()
returns table (
  public_jwk jsonb, domain text, is_domain_proved boolean, signs_requests boolean, signs_proofs boolean,
  retired_at timestamptz
)
language sql stable security definer set search_path = public, pg_temp
as $$
  select k.public_jwk, o.domain, o.domain_proved_at is not null, k.principal_id is not null, k.signs_proofs, k.retired_at
  from public.signing_key k join public.organization o on o.id = k.organization_id
  where k.retired_at is null or k.signs_proofs
  order by k.created_at, k.kid
$$;
revoke execute on function published_signing_keys() from public;
comment on function published_signing_keys() is 'for the application';
select assign_lookup_functions();
