-- runs with: 20261130030100_assistant_acts
-- Counts of all organizations for metrics: jobs that have not ended, differences that are open, and since when the internal
-- approval waits that has waited longest. No row says whose.
create function open_work()
returns table (figure text, kind text, state text, amount bigint, since timestamptz)
language sql stable security definer set search_path = public, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
  select 'jobs', j.kind, j.state, count(*), null::timestamptz from public.job j where j.ended_at is null group by 2, 3
  union all
  select 'breaks', null, null, coalesce(sum(open.amount), 0)::bigint, null
  from public.organization o cross join lateral (
    select count(*) as amount from public.reconciliation_break d where d.organization_id = o.id and d.state = 'open'
  ) open
  union all
  select 'approvals', null, null, count(*), min(waiting.requested_at)
  from public.organization o cross join lateral (
    select a.requested_at from public.internal_approval a where a.organization_id = o.id and a.state = 'open'
  ) waiting
$$;
revoke execute on function open_work() from public;
comment on function open_work() is 'for the application';
comment on table reconciliation_break is 'read before the tenant is known';
select assign_lookup_functions();
