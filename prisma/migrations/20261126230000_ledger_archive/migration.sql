-- runs with: 20261126200001_ledger_by_month
-- The beginning of a ledger can be moved to files. Versions whose figures counted at that time stay, with this mark.
alter table "report_version" add column "is_archived" boolean not null default false;

-- One row for each archive of an organization's ledger: up to which block, with which sums, and the hashes of its files.
create table "ledger_archive" (
  "organization_id" uuid not null,
  "before" text not null,
  "number" bigint not null,
  "hash" text not null,
  "entry_total" bigint not null,
  "sealed_at" timestamptz(3) not null,
  "sums" jsonb not null,
  "files" jsonb not null,
  "archived_at" timestamptz(3) not null,

  constraint "ledger_archive_pkey" primary key ("organization_id", "before")
);
select stand_under_tenancy('ledger_archive');

-- A verification begins where the archive ends, so only the owner of the tables may say where that is.
create function ledger_archive_is_of_owner() returns trigger
language plpgsql set search_path = public, pg_temp
as $$
begin
  if not pg_has_role(current_user, (select relowner from pg_class where oid = 'public.ledger_archive'::regclass), 'usage') then
    raise exception 'Only the owner of the tables archives a ledger.' using errcode = 'insufficient_privilege';
  end if;
  return coalesce(new, old);
end
$$;
revoke execute on function ledger_archive_is_of_owner() from public;
create trigger is_of_owner before insert or update or delete on ledger_archive
  for each row execute function ledger_archive_is_of_owner();

-- The sums of packages are built from all entries.
alter function build_package_spend(uuid) rename to build_package_spend_of_entries;
create function build_package_spend(of_organization uuid)
returns void
language plpgsql set search_path = public, pg_temp set row_security = on
as $$
begin
  perform set_config('switchyard.organization_id', of_organization::text, true);
  if exists (select from ledger_archive where organization_id = of_organization) then
    raise exception 'The ledger of % is archived in part, and sums of packages need all of its entries.', of_organization;
  end if;
  perform build_package_spend_of_entries(of_organization);
end
$$;
revoke execute on function build_package_spend(uuid) from public;
