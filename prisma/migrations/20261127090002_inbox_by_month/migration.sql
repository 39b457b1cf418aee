-- runs with: 20261126230000_ledger_archive
-- Messages of sellers in one partition for each month, by the time of receipt. What is there stays where it is, as the
-- first partition, with this month and the next. Keys of senders stay in one table (webhook_claim): no index over
-- partitions can keep them unique.
alter table inbox_event validate constraint inbox_event_of_first;

do $$
declare
  until constant timestamptz := (date_trunc('month', now() at time zone 'UTC') + interval '2 months') at time zone 'UTC';
  each_index text;
begin
  drop policy tenant on inbox_event;
  drop policy before_tenant on inbox_event;
  drop trigger change_created on inbox_event;
  drop trigger change_updated on inbox_event;
  alter table inbox_event set schema by_month;
  alter table by_month.inbox_event rename to inbox_event_first;
  alter table by_month.inbox_event_first drop constraint inbox_event_pkey;
  alter table by_month.inbox_event_first add constraint inbox_event_first_pkey primary key using index inbox_event_id_received_at;
  create table public.inbox_event (like by_month.inbox_event_first including defaults) partition by range (received_at);
  alter table public.inbox_event add constraint inbox_event_pkey primary key (id, received_at);
  for each_index in
    select replace(pg_get_indexdef(indexrelid), ' ON by_month.inbox_event_first ', ' ON public.inbox_event ')
    from pg_index where indrelid = 'by_month.inbox_event_first'::regclass and not indisprimary
  loop
    execute each_index;
  end loop;
  create table by_month.inbox_event_rest (like public.inbox_event including all);
  alter table by_month.inbox_event_rest enable row level security, force row level security;
  execute format('alter table public.inbox_event attach partition by_month.inbox_event_first for values from (minvalue) to (%L)', until);
  alter table public.inbox_event attach partition by_month.inbox_event_rest default;
  alter table by_month.inbox_event_first drop constraint inbox_event_of_first;
  perform stand_under_tenancy('public.inbox_event');
end
$$;
create trigger change_created after insert on inbox_event for each row
  when (new.state <> 'received') execute function change_of_inbox_event('created');
create trigger change_updated after update on inbox_event for each row
  when (new.state <> old.state and (new.state <> 'applied' or old.state <> 'received')) execute function change_of_inbox_event('updated');
comment on table inbox_event is 'read before the tenant is known';

-- What stood in a table before it was a partition had been granted.
do $$
declare
  granted record;
begin
  for granted in
    select distinct c.oid::regclass as partition, a.grantee::regrole as grantee
    from pg_class c cross join aclexplode(c.relacl) a
    where c.relnamespace = 'by_month'::regnamespace and c.relkind = 'r' and a.grantee not in (0, c.relowner)
  loop
    execute format('revoke all on %s from %s', granted.partition, granted.grantee);
  end loop;
end
$$;

-- Makes one partition that is missing of this month or the next, as before, of messages too.
create or replace function by_month.make_next()
returns text
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '2s' set timezone = 'UTC'
as $$
declare
  wanted record;
begin
  perform pg_advisory_xact_lock(hashtext('switchyard partitions by month'));
  for wanted in
    select t.name, t.options, t.name || to_char(m.month, '_YYYY_MM') as partition,
      case when t.is_by_time then m.month::text else by_month.first_id(m.month)::text end as starts,
      case when t.is_by_time then m.next::text else by_month.first_id(m.next)::text end as ends
    from (
      select month, month + interval '1 month' as next
      from generate_series(date_trunc('month', now()), now() + interval '1 month', interval '1 month') month
    ) m
    cross join (values ('inbox_event', true, null), ('ledger_entry', false, 'toast_tuple_target = 8160'),
      ('ledger_posting', false, null), ('report_version', false, null)) as t (name, is_by_time, options)
    where to_regclass('by_month.' || t.name || to_char(m.month, '_YYYY_MM')) is null
      -- The first partition has all months until its end.
      and not exists (
        select from pg_inherits i join pg_class c on c.oid = i.inhrelid
        cross join lateral (select substring(pg_get_expr(c.relpartbound, c.oid) from $e$MINVALUE\) TO \('([^']+)'$e$)) b(until)
        where i.inhparent = t.name::regclass
          and case when t.is_by_time then b.until::timestamptz >= m.next else b.until::uuid >= by_month.first_id(m.next) end)
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
select assign_lookup_functions();
