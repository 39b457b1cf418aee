-- All processes of the older version must have stopped: they read and write `four_eyes_strict`.
alter table organization add column four_eyes text not null default 'known'
  check (four_eyes in ('off', 'known', 'strict'));
alter table organization no force row level security;
update organization set four_eyes = 'strict' where four_eyes_strict;
alter table organization force row level security;
alter table organization drop column four_eyes_strict;

create table control_request (
  organization_id uuid not null,
  id uuid not null,
  kind text not null,
  subject text not null,
  act jsonb not null,
  based_on jsonb not null,
  reason text not null,
  before text,
  after text,
  amount_micros bigint,
  currency text,
  principal_id uuid not null,
  client_id uuid,
  brand_domain text,
  campaign_id uuid,
  state text not null,
  requested_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  decided_at timestamptz(3),
  decided_by uuid,
  decision_reason text,
  holders_of_both text[] not null default '{}',
  constraint control_request_pkey primary key (organization_id, id)
);
create index control_request_organization_id_requested_at_id_idx
  on control_request (organization_id, requested_at desc, id);
select stand_under_tenancy('control_request');
