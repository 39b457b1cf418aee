-- The one clock by which leases begin and end: that of the database. A process whose own clock is wrong neither takes
-- what another one holds, nor holds anything longer than it said. The caller's time is not looked at: suites that move
-- their clock put a database in place whose clock is theirs.
create function lease_now(caller timestamptz)
returns timestamptz
language sql stable
as $$ select now() $$;
revoke execute on function lease_now(timestamptz) from public;
comment on function lease_now(timestamptz) is 'for the application';
