-- runs with: 20261123120400_journal_checkpoints
-- For whoever runs the installation: its organizations in pages, oldest first, after an instant and an id.
create function organizations_after(after_at timestamptz, after_id uuid, most int)
returns setof organization
language sql stable security definer set search_path = public, pg_temp
as $$
  select * from public.organization
  where after_at is null or (created_at, id) > (after_at, after_id)
  order by created_at, id limit most
$$;
revoke execute on function organizations_after(timestamptz, uuid, int) from public;
comment on function organizations_after(timestamptz, uuid, int) is 'for the application';
select assign_lookup_functions();
