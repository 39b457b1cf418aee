-- runs with: 20261123210500_passwords

-- As before, in fewer statements: what is assigned is evaluated and not queried, the budget is asked only where something
-- is held, and one statement writes all three rows or none.
create or replace function relay_admit(
  org uuid, mark text, token uuid, brand uuid, conn uuid, slug text, signer uuid, durable boolean,
  claimed_key text, claimed_nonce text, claimed_until timestamptz,
  used_credential uuid, used_version integer, used_by text,
  request uuid, wanted text, under uuid, made uuid, hold bigint, said text, signed_by text, hashed text, nonced text,
  arrived timestamptz)
returns text
language plpgsql
as $$
declare
  ceiling bigint;
  held bigint;
  setting text;
begin
  setting := set_config('switchyard.organization_id', org::text, true);
  setting := set_config('synchronous_commit', case when durable then 'on' else 'off' end, true);
  if hold is not null then
    select d.budget_micros into ceiling from public.delegation d
    where d.organization_id = org and d.id = under for update;
  end if;
  -- Statements of their own: each sees what was committed while the lock was waited for.
  if public.relay_mark(org, token, brand, conn, slug) is distinct from mark then
    return 'changed';
  end if;
  if not exists (select from public.principal_signer s
                 where s.organization_id = org and s.id = signer and s.principal_id = brand and s.removed_at is null) then
    return 'changed';
  end if;
  if hold is not null then
    select coalesce(sum(one.held), 0) into held from (
      select max(r.held_micros) as held from public.relay_request r
      where r.organization_id = org and r.delegation_id = under and r.held_micros is not null
      group by coalesce(r.commitment_id, r.id)) one;
    if hold + held > ceiling then
      return 'exceeded';
    end if;
  end if;
  with claimed as (
    insert into public.signature_nonce (keyid, nonce, expires_at) values (claimed_key, claimed_nonce, claimed_until)
    on conflict do nothing returning nonce
  ), used as (
    insert into public.credential_use
      (organization_id, credential_id, credential_version, operation_id, purpose, actor, used_at)
    select org, used_credential, used_version, request, wanted, used_by, arrived
    from claimed where used_credential is not null
  )
  insert into public.relay_request
    (id, organization_id, principal_id, seller, way, task, delegation_id, operation_id, keyid, nonce, body_hash,
     held_micros, commitment_id, state, draft, arrived_at)
  select request, org, brand, slug, 'sealed', wanted, under, made, signed_by, nonced, hashed, hold,
    case when hold is null then null else made end, 'open', said, arrived
  from claimed;
  return case when found then 'admitted' else 'replayed' end;
end
$$;
