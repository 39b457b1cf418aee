-- runs with: 20261128190000_plain_names
-- For whoever runs the installation: its organizations in pages, newest first, before an instant and an id.
create function organizations_before(before_at timestamptz, before_id uuid, most int)
returns setof organization
language sql stable security definer set search_path = public, pg_temp
as $$
  select * from public.organization
  where before_at is null or (created_at, id) < (before_at, before_id)
  order by created_at desc, id desc limit most
$$;
revoke execute on function organizations_before(timestamp with time zone,uuid,integer) from public;
comment on function organizations_before(timestamp with time zone,uuid,integer) is 'for the application';
select assign_lookup_functions();
