-- AlterTable
ALTER TABLE "relay_request" ADD COLUMN     "commitment_id" UUID;

-- As before, but a request and its retries are one commitment, of which the largest hold counts. What this function
-- admits is never a retry: that finds its operation stored, and is judged where there is time to look at it.
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
begin
  perform set_config('switchyard.organization_id', org::text, true),
          set_config('synchronous_commit', case when durable then 'on' else 'off' end, true);
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
  if hold is not null and hold + (select coalesce(sum(one.held), 0) from (
        select max(r.held_micros) as held from public.relay_request r
        where r.organization_id = org and r.delegation_id = under and r.held_micros is not null
        group by coalesce(r.commitment_id, r.id)) one) > ceiling then
    return 'exceeded';
  end if;
  insert into public.signature_nonce (keyid, nonce, expires_at) values (claimed_key, claimed_nonce, claimed_until)
  on conflict do nothing;
  if not found then
    return 'replayed';
  end if;
  if used_credential is not null then
    insert into public.credential_use
      (organization_id, credential_id, credential_version, operation_id, purpose, actor, used_at)
    values (org, used_credential, used_version, request, wanted, used_by, arrived);
  end if;
  insert into public.relay_request
    (id, organization_id, principal_id, seller, way, task, delegation_id, operation_id, keyid, nonce, body_hash,
     held_micros, commitment_id, state, draft, arrived_at)
  values (request, org, brand, slug, 'sealed', wanted, under, made, signed_by, nonced, hashed, hold,
    case when hold is null then null else made end, 'open', said, arrived);
  return 'admitted';
end
$$;
