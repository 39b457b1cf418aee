-- runs with: 20261124182001_stops_end_streams
-- Entries, postings and report versions in one partition for each month, found by the time in their ids (UUIDs of version
-- 7, RFC 9562, section 5.7). What is there stays where it is, as the first partition. Its rows are read once to see that
-- they belong there; until then nothing is booked. What has an id of another kind, or of a later month, moves to the
-- partition of the rest.
--
-- Partitions inherit neither row security nor grants. They stand in a schema of their own, and nobody but their owner has
-- a right to any of them: everybody else reaches the rows through the tables in `public`.
create schema by_month;

-- The lowest id that can be made at a time.
create function by_month.first_id(at timestamptz)
returns uuid
language sql immutable
as $$ select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid $$;
revoke execute on function by_month.first_id(timestamptz) from public;

do $$
declare
  until constant uuid := by_month.first_id((date_trunc('month', now() at time zone 'UTC') + interval '1 month') at time zone 'UTC');
  moved record;
begin
  drop trigger change_created on report_version;
  for moved in
    select * from (values ('ledger_entry', 'id', 'id'), ('ledger_posting', 'entry_id', 'entry_id, line'),
      ('report_version', 'id', 'id')) as t (name, key, keys)
  loop
    execute format('drop policy tenant on public.%I', moved.name);
    execute format('alter table public.%I set schema by_month', moved.name);
    execute format('alter table by_month.%1$I rename to %1$s_first', moved.name);
    execute format('create table public.%1$I (like by_month.%1$s_first including defaults) partition by range (%2$I)',
      moved.name, moved.key);
    execute format('alter table public.%1$I add constraint %1$s_pkey primary key (%2$s)', moved.name, moved.keys);
  end loop;

  drop index by_month.report_version_seller_buy_id_period_end_period_start_packag_key;
  drop index by_month.ledger_entry_organization_id_stream_block_number_position_key;
  create index "ledger_entry_organization_id_media_buy_id_idx" on ledger_entry (organization_id, media_buy_id);
  create index "ledger_entry_organization_id_occurred_at_idx" on ledger_entry (organization_id, occurred_at);
  create index "ledger_entry_organization_id_stream_block_number_position_idx" on ledger_entry (organization_id, stream, block_number, "position");
  create index "ledger_posting_organization_id_day_idx" on ledger_posting (organization_id, day);
  create index "report_version_connection_id_period_end_idx" on report_version (connection_id, period_end);
  create index "report_version_organization_id_media_buy_id_idx" on report_version (organization_id, media_buy_id);
  create index "report_version_seller_buy_id_period_end_period_start_packag_idx" on report_version (seller_buy_id, period_end, period_start, package_ref, granularity, measurement_window, version);

  for moved in
    select * from (values ('ledger_entry', 'id'), ('ledger_posting', 'entry_id'), ('report_version', 'id')) as t (name, key)
  loop
    execute format('create table by_month.%1$s_rest (like public.%1$I including all)', moved.name);
    execute format('alter table by_month.%s_first no force row level security', moved.name);
    execute format('with later as (delete from by_month.%1$s_first where %2$I >= %3$L returning *)
      insert into by_month.%1$s_rest select * from later', moved.name, moved.key, until);
    execute format('alter table by_month.%s_first force row level security', moved.name);
    execute format('alter table by_month.%s_rest enable row level security, force row level security', moved.name);
    execute format('alter table public.%1$I attach partition by_month.%1$s_first for values from (minvalue) to (%2$L)',
      moved.name, until);
    execute format('alter table public.%1$I attach partition by_month.%1$s_rest default', moved.name);
    perform stand_under_tenancy(format('public.%I', moved.name)::regclass);
  end loop;
end
$$;
alter table by_month.ledger_entry_rest set (toast_tuple_target = 8160);
create trigger change_created after insert on report_version
  referencing new table as new_rows for each statement execute function change_of_report_version();

-- Makes one partition that is missing of this month or the next, and says its name; null where none is missing. One in
-- each transaction, so that few locks are held, and those for a moment: whoever reads all partitions for long makes it
-- fail, and it is called again later. Where a row of the month is in the partition of the rest already, it stays there with
-- all that come after it.
create function by_month.make_next()
returns text
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '2s' set timezone = 'UTC'
as $$
declare
  wanted record;
begin
  perform pg_advisory_xact_lock(hashtext('switchyard partitions by month'));
  for wanted in
    select t.name, t.options, m.starts, m.ends, t.name || to_char(m.month, '_YYYY_MM') as partition
    from (
      select month, by_month.first_id(month) as starts, by_month.first_id(month + interval '1 month') as ends
      from generate_series(date_trunc('month', now()), now() + interval '1 month', interval '1 month') month
    ) m
    cross join (values ('ledger_entry', 'toast_tuple_target = 8160'), ('ledger_posting', null), ('report_version', null))
      as t (name, options)
    where to_regclass('by_month.' || t.name || to_char(m.month, '_YYYY_MM')) is null
      -- The first partition has all months until its end.
      and not exists (
        select from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = t.name::regclass
          and substring(pg_get_expr(c.relpartbound, c.oid) from $e$MINVALUE\) TO \('([0-9a-f-]+)'$e$)::uuid >= m.ends)
    order by m.month, t.name
  loop
    begin
      execute format('create table by_month.%I (like %I including all)', wanted.partition, wanted.name);
      execute format('alter table by_month.%I enable row level security, force row level security', wanted.partition);
      if wanted.options is not null then
        execute format('alter table by_month.%I set (%s)', wanted.partition, wanted.options);
      end if;
      execute format('alter table %I attach partition by_month.%I for values from (%L) to (%L)',
        wanted.name, wanted.partition, wanted.starts, wanted.ends);
      return wanted.partition;
    exception when check_violation then
    end;
  end loop;
  return null;
end
$$;
revoke execute on function by_month.make_next() from public;
