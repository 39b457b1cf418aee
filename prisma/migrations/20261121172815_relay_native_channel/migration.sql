-- A post of A2A's own channel names no operation: under a standing address its registration is found by the task.
create index webhook_registration_standing_native on webhook_registration (split_part(id, '.a.', 1))
  where kind = 'a2a' and starts_with(id, 'whs_');
create function relay_native_registration(standing text, a2a_task text)
returns text
language sql stable security definer set search_path = public, pg_temp
as $$
  select r.id
  from public.webhook_registration r
  join public.leg l on l.organization_id = r.organization_id and l.id = r.leg_id
  where r.kind = 'a2a' and starts_with(r.id, 'whs_') and split_part(r.id, '.a.', 1) = standing
    and l.a2a_task_id = a2a_task
  limit 1
$$;
revoke execute on function relay_native_registration(text, text) from public;
comment on function relay_native_registration(text, text) is 'for the application';
