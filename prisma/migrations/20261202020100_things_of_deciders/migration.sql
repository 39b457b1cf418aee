-- runs with: 20261201050100_subscribers
-- What was read last of a list or of content standards, at the agent that owns it.
create table "governed_thing" (
  "organization_id" uuid not null,
  "agent_url" text not null,
  "kind" text not null,
  "subject" text not null,
  "entries" text[] not null default array[]::text[],
  "version" text,
  "problem" text,
  "valid_until" timestamptz(3),
  "read_at" timestamptz(3),
  "due_at" timestamptz(3),

  constraint "governed_thing_pkey" primary key ("organization_id", "kind", "subject", "agent_url")
);
create index governed_thing_due on governed_thing (organization_id, due_at) where due_at is not null;
select stand_under_tenancy('governed_thing');

-- What a case says of a change: as its owner told it, and as it was read there.
alter table governance_case add column changes jsonb;

-- One kind of due work more, whatever the others are. The function belongs to another role by now, so it is made anew.
do $$
declare
  body text := pg_get_functiondef('work_due(text[], timestamptz[])'::regprocedure);
begin
  drop function work_due(text[], timestamptz[]);
  execute replace(body, $r$('old_notices',$r$, $r$('governed_things', 'governed_thing', 'due_at', $q$due_at is not null$q$),
      ('old_notices',$r$);
end
$$;

revoke execute on function work_due(text[], timestamptz[]) from public;
comment on function work_due(text[], timestamptz[]) is 'for the application';
comment on table governed_thing is 'read before the tenant is known';
select assign_lookup_functions();
