-- runs with: 20261201040170_sign_in_of_clients
-- An address of a caller that is told of changes of its account or of this agent, and the release in which events are written.
alter table "buyer_registration" add column "release" text, add column "account_id" uuid, add column "subscriber_id" text,
  add column "event_types" jsonb, add column "told_version" text;
create index "buyer_registration_subscribers" on "buyer_registration" ("organization_id", "principal_id", "account_id")
  where "subscriber_id" is not null and "replaced_at" is null;
create index "buyer_registration_told" on "buyer_registration" ("organization_id", "active_from")
  where "channel" = 'agent' and "active_from" is not null and "replaced_at" is null;

-- One kind of due work more, whatever the others are. The function belongs to another role by now, so it is made anew.
do $$
declare
  body text := pg_get_functiondef('work_due(text[], timestamptz[])'::regprocedure);
begin
  drop function work_due(text[], timestamptz[]);
  execute replace(body, $r$('old_notices',$r$, $r$('subscribers', 'buyer_registration', 'active_from',
       $q$channel = 'agent' and active_from is not null and replaced_at is null$q$),
      ('old_notices',$r$);
end
$$;

revoke execute on function work_due(text[], timestamptz[]) from public;
comment on function work_due(text[], timestamptz[]) is 'for the application';
comment on table buyer_registration is 'read before the tenant is known';
select assign_lookup_functions();
