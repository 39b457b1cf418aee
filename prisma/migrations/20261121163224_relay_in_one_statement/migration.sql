-- DropIndex
DROP INDEX "relay_request_organization_id_delegation_id_idx";

-- DropIndex
DROP INDEX "relay_request_organization_id_state_arrived_at_idx";

-- A relayed request is written once before it is passed on and once when its record is sealed. What is looked for by
-- its state or by what it holds is little of it, so those indexes hold that little alone.
create index relay_request_open on relay_request (organization_id, arrived_at) where state = 'open';
create index relay_request_held on relay_request (organization_id, delegation_id) where held_micros is not null;

-- The versions of every row that decides whether one token may relay to one seller: the token, its principal, the
-- connection, the live credentials of the connection, and every delegation of the principal for that seller. Two equal
-- marks mean that none of them has changed, been added or been removed in between. The tenant has been named before.
create function relay_mark(org uuid, token uuid, brand uuid, conn uuid, slug text)
returns text
language plpgsql stable
as $$
begin
  return (
    select concat_ws(' ',
      coalesce((select t.xmin::text from public.principal_token t
                where t.organization_id = org and t.id = token and t.principal_id = brand), '-'),
      coalesce((select p.xmin::text from public.principal p where p.organization_id = org and p.id = brand), '-'),
      coalesce((select c.xmin::text || coalesce((
                  select string_agg(concat(',', k.credential_id, '/', k.version, '/', k.xmin), '' order by k.credential_id, k.version)
                  from public.credential k
                  where k.organization_id = org and k.credential_id in (c.credential_id, c.key_credential_id)
                    and k.retired_at is null), '')
                from public.connection c where c.organization_id = org and c.id = conn), '-'),
      coalesce((select string_agg(concat(d.id, '/', d.xmin), ',' order by d.id) from public.delegation d
                where d.organization_id = org and d.principal_id = brand and d.seller = slug), '-')));
end
$$;
revoke execute on function relay_mark(uuid, uuid, uuid, uuid, text) from public;
comment on function relay_mark(uuid, uuid, uuid, uuid, text) is 'for the application';

-- Admits one relayed request whose caller has judged it by rows that it read before: it holds only if the mark says
-- that those rows are as they were. Then the nonce is claimed, the use of the credential is audited and the request is
-- stored, in this order and in one transaction; `durable` says whether its commit waits for the disk. A sum is held
-- under the lock of its delegation, so that two requests at once cannot both have the last of a ceiling. Whatever is
-- not as it was known writes nothing, and its caller asks everything afresh.
create function relay_admit(
  org uuid, mark text, token uuid, brand uuid, conn uuid, slug text, signer uuid, durable boolean,
  claimed_key text, claimed_nonce text, claimed_until timestamptz,
  used_credential uuid, used_version integer, used_by text,
  request uuid, wanted text, under uuid, made uuid, hold bigint, said jsonb, signed_by text, hashed text, nonced text,
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
  if hold is not null and hold + (select coalesce(sum(r.held_micros), 0) from public.relay_request r
      where r.organization_id = org and r.delegation_id = under and r.held_micros is not null) > ceiling then
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
     held_micros, state, draft, arrived_at)
  values (request, org, brand, slug, 'sealed', wanted, under, made, signed_by, nonced, hashed, hold, 'open', said, arrived);
  return 'admitted';
end
$$;
revoke execute on function relay_admit(uuid, text, uuid, uuid, uuid, text, uuid, boolean, text, text, timestamptz, uuid,
  integer, text, uuid, text, uuid, uuid, bigint, jsonb, text, text, text, timestamptz) from public;
comment on function relay_admit(uuid, text, uuid, uuid, uuid, text, uuid, boolean, text, text, timestamptz, uuid,
  integer, text, uuid, text, uuid, uuid, bigint, jsonb, text, text, text, timestamptz) is 'for the application';
