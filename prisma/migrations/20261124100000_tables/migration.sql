-- runs with: 20261124065500_relay_admits_in_fewer_statements
-- replaces all until: 20261124065500_relay_admits_in_fewer_statements
-- The tables, each with its indexes, by name; then the references between them.
-- What PostgreSQL wrote of a database that had every migration before this one.

create table access_grant (
  id uuid not null,
  organization_id uuid not null,
  principal_id uuid not null,
  role text not null,
  scope_kind text not null,
  scope_id text not null default '',
  granted_by uuid,
  created_at timestamptz(3) not null,
  removed_at timestamptz(3),
  constraint access_grant_pkey primary key (id)
);
create index access_grant_listed on access_grant (organization_id, created_at, id)
  where (removed_at is null);
create index access_grant_of on access_grant (organization_id, principal_id, created_at, id)
  where (removed_at is null);
create index access_grant_organization_id_principal_id_idx on access_grant (organization_id, principal_id);
create index access_grant_organization_id_scope_kind_scope_id_idx on access_grant (organization_id, scope_kind, scope_id);
create index access_grant_role on access_grant (organization_id, role)
  where (removed_at is null);

create table account_figure (
  id uuid not null,
  organization_id uuid not null,
  connection_id uuid not null,
  seller text not null,
  account jsonb not null,
  period text not null,
  covers_from text not null,
  covers_to text not null,
  timezone text not null,
  currency text not null,
  total_spend_micros bigint,
  invoices jsonb not null,
  event_id uuid not null,
  answer_hash text not null,
  pulled_by uuid not null,
  pulled_at timestamptz(3) not null,
  constraint account_figure_pkey primary key (id)
);
create index account_figure_organization_id_period_seller_pulled_at_idx on account_figure (organization_id, period, seller, pulled_at desc);

create table accounting_period (
  organization_id uuid not null,
  period text not null,
  state text not null,
  closed_by uuid,
  closed_at timestamptz(3),
  reopen_asked_by uuid,
  reopen_reason text,
  updated_at timestamptz(3) not null,
  constraint accounting_period_pkey primary key (organization_id, period)
);

create table alarm (
  id uuid not null,
  organization_id uuid not null,
  kind text not null,
  subject text not null,
  detail jsonb not null,
  first_at timestamptz(3) not null,
  last_at timestamptz(3) not null,
  count integer not null default 1,
  acknowledged_at timestamptz(3),
  acknowledged_by text,
  reason text,
  constraint alarm_pkey primary key (id)
);
-- What happens again while nobody has looked is counted on the row that is there.
create unique index alarm_one_open on alarm (organization_id, kind, subject)
  where (acknowledged_at is null);
create index alarm_organization_id_kind_subject_acknowledged_at_idx on alarm (organization_id, kind, subject, acknowledged_at);
create index alarm_organization_id_last_at_idx on alarm (organization_id, last_at);

create table approval (
  id uuid not null,
  organization_id uuid not null,
  operation_id uuid not null,
  leg_id uuid not null,
  connection_id uuid not null,
  seller text not null,
  task text not null,
  round integer not null,
  question_hash text not null,
  reason text not null,
  question jsonb not null,
  errors jsonb not null,
  seller_task_id text,
  a2a_task_id text,
  context_id text,
  state text not null,
  asked_at timestamptz(3) not null,
  answer jsonb,
  answered_by uuid,
  answered_at timestamptz(3),
  outbound text,
  attempts integer not null default 0,
  due_at timestamptz(3),
  closed_at timestamptz(3),
  outcome text,
  constraint approval_pkey primary key (id)
);
create index approval_due on approval (organization_id, due_at)
  where ((state = 'answering'::text) and (due_at is not null));
create unique index approval_leg_id_round_key on approval (leg_id, round);
create index approval_organization_id_asked_at_id_idx on approval (organization_id, asked_at desc, id);
create index approval_organization_id_operation_id_idx on approval (organization_id, operation_id);
create index approval_organization_id_seller_asked_at_id_idx on approval (organization_id, seller, asked_at desc, id);
create index approval_organization_id_state_asked_at_idx on approval (organization_id, state, asked_at);

create table audit_event (
  id bigserial not null,
  organization_id uuid not null,
  at timestamptz(3) not null,
  actor_id uuid,
  actor_name text not null,
  action text not null,
  object_kind text,
  object_id text,
  object_name text,
  outcome text not null,
  code text,
  detail jsonb not null,
  request_id text,
  ended_at timestamptz(3),
  constraint audit_event_pkey primary key (id)
);
create index audit_event_organization_id_action_at_id_idx on audit_event (organization_id, action, at desc, id desc);
create index audit_event_organization_id_actor_id_at_id_idx on audit_event (organization_id, actor_id, at desc, id desc);
create index audit_event_organization_id_at_id_idx on audit_event (organization_id, at desc, id desc);
create index audit_event_organization_id_object_id_at_id_idx on audit_event (organization_id, object_id, at desc, id desc);
create index audit_event_organization_id_object_name_at_id_idx on audit_event (organization_id, object_name, at desc, id desc);

create table book_code (
  organization_id uuid not null,
  key text not null,
  code text not null,
  name text not null default '',
  set_by uuid not null,
  set_at timestamptz(3) not null,
  constraint book_code_pkey primary key (organization_id, key)
);

create table brand (
  id uuid not null,
  organization_id uuid not null,
  client_id uuid not null,
  domain text not null,
  brand_id text not null default '',
  name text not null,
  names jsonb not null default '{}'::jsonb,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint brand_pkey primary key (id)
);
create index brand_brand_id_start on brand (organization_id, lower(brand_id) text_pattern_ops);
create index brand_domain_start on brand (organization_id, lower(domain) text_pattern_ops);
create index brand_name_start on brand (organization_id, lower(name) text_pattern_ops);
create index brand_organization_id_client_id_idx on brand (organization_id, client_id);
create unique index brand_organization_id_domain_brand_id_key on brand (organization_id, domain, brand_id);

create table break_comment (
  id uuid not null,
  organization_id uuid not null,
  break_id uuid not null,
  principal_id uuid not null,
  text text not null,
  at timestamptz(3) not null,
  constraint break_comment_pkey primary key (id)
);
create index break_comment_organization_id_break_id_at_idx on break_comment (organization_id, break_id, at);

create table buy_assignment (
  id uuid not null,
  organization_id uuid not null,
  media_buy_id text not null,
  campaign_id uuid,
  client_id uuid,
  source text not null,
  reason text,
  principal_id uuid,
  entry_id uuid,
  at timestamptz(3) not null,
  constraint buy_assignment_pkey primary key (id)
);
create index buy_assignment_organization_id_media_buy_id_at_idx on buy_assignment (organization_id, media_buy_id, at desc);
-- Decisions that the ledger does not hold yet.
create index buy_assignment_unbooked on buy_assignment (organization_id, at, id)
  where (entry_id is null);

create table buy_change (
  id uuid not null,
  organization_id uuid not null,
  media_buy_id text not null,
  seller_buy_id uuid not null,
  operation_id uuid not null,
  leg_id uuid not null,
  seller text not null,
  revision integer not null,
  actor text not null,
  action text not null,
  package_id text,
  detail jsonb not null,
  at timestamptz(3) not null,
  entry_id uuid,
  constraint buy_change_pkey primary key (id)
);
create index buy_change_leg_id_idx on buy_change (leg_id);
-- A part is bought once, whatever is replayed.
create unique index buy_change_one_purchase on buy_change (seller_buy_id)
  where (action = 'create'::text);
create index buy_change_organization_id_media_buy_id_at_idx on buy_change (organization_id, media_buy_id, at);
-- What the ledger has to take in: few, and looked for every second.
create index buy_change_unbooked on buy_change (organization_id, at, id)
  where (entry_id is null);

create table buy_package (
  id uuid not null,
  organization_id uuid not null,
  media_buy_id text not null,
  leg_id uuid not null,
  position integer not null,
  seller text not null,
  buyer_ref text,
  product_id text not null,
  pricing_option_id text not null,
  currency text not null,
  budget_micros bigint not null,
  bid_micros bigint,
  context jsonb,
  seller_package_id text,
  canceled_at timestamptz(3),
  paused boolean not null default false,
  targeting jsonb,
  terms jsonb,
  constraint buy_package_pkey primary key (id)
);
create unique index buy_package_media_buy_id_position_key on buy_package (media_buy_id, "position");
create index buy_package_organization_id_leg_id_idx on buy_package (organization_id, leg_id);
create index buy_package_organization_id_media_buy_id_idx on buy_package (organization_id, media_buy_id);
create index buy_package_organization_id_seller_package_id_idx on buy_package (organization_id, seller_package_id);

create table buyer_registration (
  id uuid not null,
  organization_id uuid not null,
  principal_id uuid not null,
  operation_id uuid not null,
  media_buy_id text,
  channel text not null,
  envelope text not null,
  mode text not null,
  url text not null,
  buyer_operation_id text,
  context_id text,
  credential_id uuid,
  frequency text,
  dialect text not null,
  form text not null,
  created_at timestamptz(3) not null,
  active_from timestamptz(3),
  replaced_at timestamptz(3),
  constraint buyer_registration_pkey primary key (id)
);
create index buyer_registration_organization_id_credential_id_idx on buyer_registration (organization_id, credential_id);
create index buyer_registration_organization_id_media_buy_id_idx on buyer_registration (organization_id, media_buy_id);
create index buyer_registration_organization_id_operation_id_idx on buyer_registration (organization_id, operation_id);

create table campaign (
  id uuid not null,
  organization_id uuid not null,
  client_id uuid not null,
  brand_domain text not null,
  brand_id text not null default '',
  name text not null,
  reference text,
  po_number text,
  insertion_order text,
  estimate text,
  currency text not null,
  budget_micros bigint,
  plan jsonb not null default '{}'::jsonb,
  starts_on text not null,
  ends_on text not null,
  owner_id uuid,
  status text not null default 'active',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint campaign_pkey primary key (id)
);
create index campaign_name_start on campaign (organization_id, lower(name) text_pattern_ops);
create index campaign_organization_id_brand_domain_idx on campaign (organization_id, brand_domain);
create index campaign_organization_id_client_id_updated_at_id_idx on campaign (organization_id, client_id, updated_at desc, id);
-- Requests name campaigns by their estimate as well, and find rules by brand and beginning.
create index campaign_organization_id_estimate_idx on campaign (organization_id, estimate);
create index campaign_organization_id_po_number_idx on campaign (organization_id, po_number);
create index campaign_organization_id_reference_idx on campaign (organization_id, reference);
create index campaign_organization_id_updated_at_id_idx on campaign (organization_id, updated_at desc, id);
create index campaign_po_number_start on campaign (organization_id, lower(po_number) text_pattern_ops);
create index campaign_reference_start on campaign (organization_id, lower(reference) text_pattern_ops);

create table campaign_rule (
  id uuid not null,
  organization_id uuid not null,
  campaign_id uuid not null,
  brand_domain text,
  reference_start text,
  created_at timestamptz(3) not null,
  constraint campaign_rule_pkey primary key (id)
);
create unique index campaign_rule_once on campaign_rule (organization_id, COALESCE(brand_domain, ''::text), COALESCE(reference_start, ''::text));
create index campaign_rule_organization_id_campaign_id_idx on campaign_rule (organization_id, campaign_id);

-- One row per change of an object: what GET /v1/changes is read from. Triggers write it, so that no way of changing an
-- object can forget it.
--
-- Ids are given before transactions end, so a row with a lower id may appear after one with a higher id. A reader
-- therefore takes only rows of transactions that are older than every transaction at work (`tx < pg_snapshot_xmin`):
-- below that line nothing appears any more, and (tx, id) is a place to go on from.
create table change_event (
  organization_id uuid not null,
  tx bigint not null default ((pg_current_xact_id())::text)::bigint,
  id bigserial not null,
  at timestamptz(3) not null default clock_timestamp(),
  kind text not null,
  object_id text not null,
  action text not null,
  principal_id uuid,
  client_id uuid,
  brand_domain text,
  campaign_id uuid,
  constraint change_event_pkey primary key (organization_id, tx, id)
);
alter table change_event set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

create table client (
  id uuid not null,
  organization_id uuid not null,
  name text not null,
  status text not null default 'active',
  codes jsonb not null default '{}'::jsonb,
  sellers text[],
  limits_sellers boolean not null default false,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint client_pkey primary key (id)
);
create index client_name_start on client (organization_id, lower(name) text_pattern_ops);
create unique index client_organization_id_name_key on client (organization_id, name);
create index client_organization_id_updated_at_id_idx on client (organization_id, updated_at desc, id);

create table connection (
  id uuid not null,
  organization_id uuid not null,
  slug text not null,
  name text not null,
  agent_url text not null,
  protocol text not null,
  dialect text not null,
  configured_form text not null,
  form text not null,
  kinds text[],
  state text not null,
  state_reason text,
  account jsonb,
  capabilities jsonb,
  capabilities_at timestamptz(3),
  tools jsonb,
  pinned_jwks_uri text,
  pinned_brand_json_url text,
  credential_id uuid,
  key_credential_id uuid,
  legacy_webhooks text,
  is_sandbox boolean not null default false,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  webhook_credential_id uuid,
  found_jwks_uri text,
  wants_relay_signature boolean not null default false,
  report_registration text,
  capabilities_due_at timestamptz(3),
  capabilities_failures integer not null default 0,
  draining_since timestamptz(3),
  suspended_from text,
  suspended_from_reason text,
  constraint connection_pkey primary key (id)
);
create index connection_agent_url_idx on connection (agent_url);
create index connection_capabilities_due on connection (organization_id, COALESCE(capabilities_due_at, created_at))
  where (state = 'live'::text);
create index connection_draining on connection (organization_id)
  where (draining_since is not null);
create index connection_name_start on connection (organization_id, lower(name) text_pattern_ops);
create index connection_organization_id_created_at_id_idx on connection (organization_id, created_at, id);
create unique index connection_organization_id_slug_key on connection (organization_id, slug);
create index connection_organization_id_state_idx on connection (organization_id, state);
create index connection_slug_start on connection (organization_id, lower(slug) text_pattern_ops);

create table connection_health (
  connection_id uuid not null,
  organization_id uuid not null,
  breaker text not null,
  failures integer not null,
  last_ok_at timestamptz(3),
  last_failure_at timestamptz(3),
  last_failure_code text,
  updated_at timestamptz(3) not null,
  constraint connection_health_pkey primary key (connection_id)
);
create index connection_health_organization_id_idx on connection_health (organization_id);

create table counted_spend (
  organization_id uuid not null,
  seller_buy_id uuid not null,
  package_ref text not null,
  spend_micros bigint not null,
  constraint counted_spend_pkey primary key (seller_buy_id, package_ref)
);
create index counted_spend_organization_id_seller_buy_id_package_ref_idx on counted_spend (organization_id, seller_buy_id, package_ref);

create table creative (
  id uuid not null,
  organization_id uuid not null,
  creative_id text not null,
  principal_id uuid not null,
  operation_id uuid not null,
  name text not null,
  format_key text not null,
  format_bare_key text not null,
  format_name text not null,
  form text not null,
  body jsonb not null,
  body_hash text not null,
  tags text[],
  status text not null,
  archived_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  status_at timestamptz(3),
  first_operation_id uuid,
  constraint creative_pkey primary key (id)
);
create index creative_organization_id_created_at_id_idx on creative (organization_id, created_at, id);
create unique index creative_organization_id_creative_id_key on creative (organization_id, creative_id);

create table creative_assignment (
  id uuid not null,
  organization_id uuid not null,
  creative_id text not null,
  package_id text not null,
  media_buy_id text not null,
  seller text not null,
  operation_id uuid not null,
  created_at timestamptz(3) not null,
  approval_as_of timestamptz(3),
  approval_reason text,
  approval_status text,
  constraint creative_assignment_pkey primary key (id)
);
create unique index creative_assignment_organization_id_creative_id_package_id_key on creative_assignment (organization_id, creative_id, package_id);
create index creative_assignment_organization_id_media_buy_id_idx on creative_assignment (organization_id, media_buy_id);
create index creative_assignment_organization_id_package_id_idx on creative_assignment (organization_id, package_id);

create table creative_placement (
  id uuid not null,
  organization_id uuid not null,
  creative_id text not null,
  connection_id uuid not null,
  seller text not null,
  leg_id uuid not null,
  operation_id uuid not null,
  status text not null,
  reason text,
  platform_id text,
  body_hash text,
  synced_at timestamptz(3),
  observed_at timestamptz(3),
  observed_by text,
  next_poll_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  seller_creative_id text,
  constraint creative_placement_pkey primary key (id)
);
create index creative_placement_due on creative_placement (organization_id, next_poll_at)
  where ((next_poll_at is not null) and (synced_at is not null));
create index creative_placement_in_review on creative_placement (organization_id, observed_at)
  where (status = 'pending_review'::text);
create unique index creative_placement_organization_id_creative_id_connection_i_key on creative_placement (organization_id, creative_id, connection_id);
create index creative_placement_organization_id_leg_id_idx on creative_placement (organization_id, leg_id);
create index creative_placement_organization_id_next_poll_at_idx on creative_placement (organization_id, next_poll_at);
-- A seller knows one creative under one id in an account.
create unique index creative_placement_seller_id on creative_placement (connection_id, seller_creative_id)
  where (seller_creative_id is not null);

create table credential (
  credential_id uuid not null,
  version integer not null,
  organization_id uuid not null,
  connection_id uuid,
  seller text,
  kind text not null,
  scheme text not null,
  kms_key_id text not null,
  wrapped_key bytea not null,
  nonce bytea not null,
  ciphertext bytea not null,
  tag bytea not null,
  commitment bytea not null,
  created_at timestamptz(3) not null,
  rewrapped_at timestamptz(3),
  retired_at timestamptz(3),
  destination text,
  last_error_at timestamptz(3),
  last_error_code text,
  constraint credential_pkey primary key (credential_id, version)
);
create index credential_of_callback on credential (organization_id, created_at)
  where (kind = 'callback'::text);
create index credential_organization_id_connection_id_idx on credential (organization_id, connection_id);
create index credential_organization_id_created_at_credential_id_version_idx on credential (organization_id, created_at, credential_id, version);
create index credential_organization_id_credential_id_version_idx on credential (organization_id, credential_id, version);
create index credential_organization_id_kms_key_id_idx on credential (organization_id, kms_key_id);
-- What was sealed before destinations were part of the seal, and is sent somewhere. It is sealed again at the next
-- start or at its first use, so this index is empty soon after.
create index credential_unbound on credential (organization_id)
  where ((scheme = 'sy-vault-1'::text) and (retired_at is null) and (kind = any (array['bearer'::text, 'basic'::text, 'webhook'::text, 'callback'::text])));

create table credential_use (
  id bigserial not null,
  organization_id uuid not null,
  credential_id uuid not null,
  credential_version integer not null,
  operation_id uuid,
  purpose text not null,
  actor text not null,
  used_at timestamptz(3) not null,
  constraint credential_use_pkey primary key (id)
);
-- That a credential was bound to its destination is said once. The application can only append to this table.
create unique index credential_use_bind on credential_use (organization_id, credential_id)
  where (purpose = 'bind'::text);
create index credential_use_of_people on credential_use (organization_id, actor, used_at desc, id desc)
  where (purpose = 'evidence'::text);
create index credential_use_organization_id_credential_id_used_at_idx on credential_use (organization_id, credential_id, used_at);
create index credential_use_organization_id_used_at_id_idx on credential_use (organization_id, used_at desc, id desc);

create table custody_entry (
  organization_id uuid not null,
  stream text not null,
  block_number bigint not null,
  position integer not null,
  record_id uuid not null,
  body text not null,
  hash text not null,
  constraint custody_entry_pkey primary key (organization_id, stream, block_number, "position")
);
alter table custody_entry set (toast_tuple_target = 8160);
create unique index custody_entry_organization_id_record_id_key on custody_entry (organization_id, record_id);

create table delegation (
  id uuid not null,
  organization_id uuid not null,
  principal_id uuid not null,
  seller text not null,
  tasks text[],
  granted_at timestamptz(3) not null,
  until_at timestamptz(3) not null,
  budget_micros bigint,
  currency text,
  granted_by uuid not null,
  evidence text,
  revoked_at timestamptz(3),
  revoked_by uuid,
  revoke_reason text,
  constraint delegation_pkey primary key (id)
);
create index delegation_organization_id_granted_at_id_idx on delegation (organization_id, granted_at desc, id);
create index delegation_organization_id_principal_id_seller_idx on delegation (organization_id, principal_id, seller);

create table emergency_stop (
  organization_id uuid not null,
  kind text not null,
  subject text not null,
  target text not null,
  reason text,
  stopped_by text not null,
  stopped_at timestamptz(3) not null,
  constraint emergency_stop_pkey primary key (organization_id, kind, subject)
);

create table event_decision (
  id uuid not null,
  organization_id uuid not null,
  event_id uuid not null,
  decision text not null,
  reason text not null,
  was text,
  principal_id uuid not null,
  principal_name text not null,
  decided_at timestamptz(3) not null,
  constraint event_decision_pkey primary key (id)
);
create unique index event_decision_event_id_key on event_decision (event_id);
create index event_decision_organization_id_decided_at_idx on event_decision (organization_id, decided_at);

create table exchange_rate (
  organization_id uuid not null,
  from_currency text not null,
  to_currency text not null,
  date text not null,
  rate text not null,
  source text not null,
  entered_by uuid,
  entered_at timestamptz(3) not null,
  constraint exchange_rate_pkey primary key (organization_id, from_currency, to_currency, date)
);

create table figure_import (
  id uuid not null,
  organization_id uuid not null,
  source text not null,
  version integer not null,
  file_id uuid not null,
  mapping jsonb not null,
  lines integer not null,
  imported_by uuid not null,
  imported_at timestamptz(3) not null,
  constraint figure_import_pkey primary key (id)
);
create unique index figure_import_organization_id_source_version_key on figure_import (organization_id, source, version);

create table finance_file (
  id uuid not null,
  organization_id uuid not null,
  name text not null,
  bytes bigint not null,
  sha256 text not null,
  kept boolean not null default false,
  created_by uuid not null,
  created_at timestamptz(3) not null,
  constraint finance_file_pkey primary key (id)
);
create index finance_file_organization_id_kept_created_at_idx on finance_file (organization_id, kept, created_at);

create table finance_file_part (
  organization_id uuid not null,
  file_id uuid not null,
  part integer not null,
  content bytea not null,
  constraint finance_file_part_pkey primary key (file_id, part)
);

create table impairment (
  id uuid not null,
  organization_id uuid not null,
  connection_id uuid not null,
  seller_buy_id uuid not null,
  media_buy_id text not null,
  seller text not null,
  impairment_id text not null,
  detail jsonb not null,
  observed_at timestamptz(3) not null,
  first_seen_at timestamptz(3) not null,
  resolved_at timestamptz(3),
  source text not null,
  event_id uuid,
  changed_at timestamptz(3) not null,
  constraint impairment_pkey primary key (id)
);
create index impairment_organization_id_media_buy_id_idx on impairment (organization_id, media_buy_id);
create unique index impairment_seller_buy_id_impairment_id_key on impairment (seller_buy_id, impairment_id);

create table inbox_duplicate (
  id uuid not null,
  organization_id uuid not null,
  event_id uuid not null,
  registration_id text not null,
  connection_id uuid not null,
  sender text not null,
  idempotency_key text not null,
  kind text not null,
  body_hash text not null,
  is_same_body boolean not null,
  copies integer not null,
  first_seen_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  constraint inbox_duplicate_pkey primary key (id)
);
create unique index inbox_duplicate_event_id_registration_id_body_hash_key on inbox_duplicate (event_id, registration_id, body_hash);
create index inbox_duplicate_of_connection on inbox_duplicate (organization_id, connection_id, last_seen_at desc, id desc);
create index inbox_duplicate_organization_id_last_seen_at_idx on inbox_duplicate (organization_id, last_seen_at);
create index inbox_duplicate_organization_id_registration_id_idx on inbox_duplicate (organization_id, registration_id);

create table inbox_event (
  id uuid not null,
  organization_id uuid not null,
  registration_id text not null,
  connection_id uuid not null,
  sender text not null,
  keyid text,
  idempotency_key text,
  kind text not null,
  headers jsonb not null,
  body bytea not null,
  body_hash text not null,
  verdict jsonb not null,
  state text not null,
  reason text,
  received_at timestamptz(3) not null,
  applied_at timestamptz(3),
  body_purged_at timestamptz(3),
  sealed_id uuid,
  constraint inbox_event_pkey primary key (id)
);
create index inbox_event_bytes on inbox_event (organization_id, received_at)
  where ((state = any (array['applied'::text, 'stale'::text, 'refused'::text])) and (body_purged_at is null));
create index inbox_event_organization_id_connection_id_received_at_id_idx on inbox_event (organization_id, connection_id, received_at desc, id desc);
create index inbox_event_organization_id_kind_received_at_id_idx on inbox_event (organization_id, kind, received_at desc, id desc);
create index inbox_event_organization_id_received_at_id_idx on inbox_event (organization_id, received_at desc, id desc);
create index inbox_event_organization_id_registration_id_idx on inbox_event (organization_id, registration_id);
create index inbox_event_organization_id_state_received_at_idx on inbox_event (organization_id, state, received_at);
create index inbox_event_waiting on inbox_event (organization_id, received_at)
  where (state = 'received'::text);
create index inbox_event_with_body on inbox_event (organization_id, received_at)
  where (body_purged_at is null);

create table instance_note (
  key text not null,
  value jsonb not null,
  updated_at timestamptz(3) not null,
  constraint instance_note_pkey primary key (key)
);

create table internal_approval (
  id uuid not null,
  organization_id uuid not null,
  operation_id uuid not null,
  task text not null,
  media_buy_id text,
  revision integer,
  principal_id uuid not null,
  client_id uuid,
  brand_domain text,
  campaign_id uuid,
  sellers text[],
  amount_micros bigint not null,
  currency text not null,
  reason text not null,
  quotes jsonb not null,
  state text not null,
  asked_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  decided_at timestamptz(3),
  decided_by uuid,
  decision_reason text,
  constraint internal_approval_pkey primary key (id)
);
-- Requests that wait for an internal approval are one more kind of due work: they expire. The function has a new
-- name, because the version before goes on with the one that it knows.
create index internal_approval_due on internal_approval (organization_id, expires_at)
  where (state = 'open'::text);
create unique index internal_approval_operation_id_key on internal_approval (operation_id);
create index internal_approval_organization_id_asked_at_id_idx on internal_approval (organization_id, asked_at desc, id);
create index internal_approval_organization_id_state_expires_at_idx on internal_approval (organization_id, state, expires_at);

-- Who is let in with which role and scope once it takes the invitation up: by its link, or by another provider that
-- vouches for its e-mail address.
create table invitation (
  id uuid not null,
  organization_id uuid not null,
  email text not null,
  role text not null,
  scope_kind text not null,
  scope_id text not null default '',
  token_hash bytea not null,
  invited_by uuid not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  withdrawn_at timestamptz(3),
  accepted_at timestamptz(3),
  principal_id uuid,
  constraint invitation_pkey primary key (id)
);
create index invitation_email_idx on invitation (email);
create index invitation_organization_id_created_at_id_idx on invitation (organization_id, created_at desc, id desc);
create unique index invitation_token_hash_key on invitation (token_hash);

create table invoice (
  id uuid not null,
  organization_id uuid not null,
  connection_id uuid not null,
  seller text not null,
  number text not null,
  period text not null,
  issued_on text not null,
  currency text not null,
  total_micros bigint not null,
  file_name text not null,
  original bytea,
  original_hash text not null,
  imported_by uuid not null,
  imported_at timestamptz(3) not null,
  entry_id uuid not null,
  file_id uuid,
  due_on text,
  paid_micros bigint not null default 0,
  settled_on text,
  constraint invoice_pkey primary key (id)
);
create unique index invoice_organization_id_connection_id_number_key on invoice (organization_id, connection_id, number);
create index invoice_organization_id_imported_at_id_idx on invoice (organization_id, imported_at desc, id);
create index invoice_organization_id_period_seller_idx on invoice (organization_id, period, seller);
create index invoice_organization_id_settled_on_id_idx on invoice (organization_id, settled_on, id);

create table invoice_attachment (
  organization_id uuid not null,
  invoice_id uuid not null,
  file_id uuid not null,
  attached_by uuid not null,
  attached_at timestamptz(3) not null,
  constraint invoice_attachment_pkey primary key (invoice_id, file_id)
);

create table invoice_line (
  organization_id uuid not null,
  invoice_id uuid not null,
  line integer not null,
  seller_media_buy_id text,
  package_ref text,
  po_number text,
  description text,
  units bigint,
  amount_micros bigint not null,
  constraint invoice_line_pkey primary key (invoice_id, line)
);

create table invoice_mapping (
  organization_id uuid not null,
  connection_id uuid not null,
  mapping jsonb not null,
  updated_at timestamptz(3) not null,
  constraint invoice_mapping_pkey primary key (organization_id, connection_id)
);

create table invoice_payment (
  id uuid not null,
  organization_id uuid not null,
  invoice_id uuid not null,
  paid_on text not null,
  amount_micros bigint not null,
  reporting_currency text,
  reporting_micros bigint,
  difference_micros bigint,
  reference text,
  paid_by uuid not null,
  recorded_at timestamptz(3) not null,
  entry_id uuid not null,
  difference_entry_id uuid,
  constraint invoice_payment_pkey primary key (id)
);
create index invoice_payment_organization_id_invoice_id_recorded_at_idx on invoice_payment (organization_id, invoice_id, recorded_at);
create unique index invoice_payment_organization_id_invoice_id_reference_key on invoice_payment (organization_id, invoice_id, reference);

create table journal_anchor (
  id uuid not null,
  organization_id uuid not null,
  stream text not null,
  number bigint not null,
  hash text not null,
  entry_total bigint not null,
  sealed_at timestamptz(3) not null,
  made_at timestamptz(3) not null,
  jws text not null,
  key jsonb not null,
  constraint journal_anchor_pkey primary key (id)
);
create index journal_anchor_organization_id_made_at_id_idx on journal_anchor (organization_id, made_at desc, id desc);

create table journal_batch (
  id uuid not null,
  organization_id uuid not null,
  number integer not null,
  period text not null,
  format text not null,
  entry_total integer not null,
  line_total integer not null,
  file bytea not null,
  file_hash text not null,
  exported_by uuid not null,
  exported_at timestamptz(3) not null,
  constraint journal_batch_pkey primary key (id)
);
create unique index journal_batch_organization_id_number_key on journal_batch (organization_id, number);
create index journal_batch_organization_id_period_number_idx on journal_batch (organization_id, period, number);

create table journal_batch_entry (
  organization_id uuid not null,
  entry_id uuid not null,
  period text not null,
  batch_id uuid not null,
  constraint journal_batch_entry_pkey primary key (entry_id, period)
);
create index journal_batch_entry_organization_id_batch_id_idx on journal_batch_entry (organization_id, batch_id);

create table journal_block (
  organization_id uuid not null,
  stream text not null,
  number bigint not null,
  previous_hash text not null,
  hash text not null,
  entry_count integer not null,
  sealed_at timestamptz(3) not null,
  constraint journal_block_pkey primary key (organization_id, stream, number)
);

create table journal_checkpoint (
  organization_id uuid not null,
  stream text not null,
  number bigint not null,
  hash text not null,
  entry_total bigint not null,
  sealed_at timestamptz(3) not null,
  sums jsonb not null,
  verified_at timestamptz(3) not null,
  whole_at timestamptz(3) not null,
  key_id text not null,
  wrapped_key bytea not null,
  mac text not null,
  constraint journal_checkpoint_pkey primary key (organization_id, stream)
);

create table journal_head (
  organization_id uuid not null,
  stream text not null,
  number bigint not null,
  hash text not null,
  entry_total bigint not null,
  sealed_at timestamptz(3) not null,
  constraint journal_head_pkey primary key (organization_id, stream)
);

create table kept_answer (
  id uuid not null,
  organization_id uuid not null,
  principal_id uuid,
  task text not null,
  question_hash text not null,
  answer text not null,
  seal bytea not null,
  expires_at timestamptz(3) not null,
  constraint kept_answer_pkey primary key (id)
);
create index kept_answer_organization_id_expires_at_idx on kept_answer (organization_id, expires_at);

create table ledger_balance (
  organization_id uuid not null,
  account text not null,
  seller text not null,
  day text not null,
  currency text not null,
  amount_micros bigint not null,
  constraint ledger_balance_pkey primary key (organization_id, account, seller, day, currency)
);

create table ledger_entry (
  id uuid not null,
  organization_id uuid not null,
  stream text not null,
  block_number bigint not null,
  position integer not null,
  kind text not null,
  operation_id uuid not null,
  media_buy_id text,
  seller text not null,
  occurred_at timestamptz(3) not null,
  body text not null,
  hash text not null,
  constraint ledger_entry_pkey primary key (id)
);
alter table ledger_entry set (toast_tuple_target = 8160);
create index ledger_entry_organization_id_media_buy_id_idx on ledger_entry (organization_id, media_buy_id);
create unique index ledger_entry_organization_id_stream_block_number_position_key on ledger_entry (organization_id, stream, block_number, "position");

create table ledger_posting (
  entry_id uuid not null,
  line integer not null,
  organization_id uuid not null,
  account text not null,
  seller text not null,
  media_buy_id text,
  day text not null,
  currency text not null,
  amount_micros bigint not null,
  constraint ledger_posting_pkey primary key (entry_id, line)
);
create index ledger_posting_organization_id_day_idx on ledger_posting (organization_id, day);

create table leg (
  id uuid not null,
  organization_id uuid not null,
  operation_id uuid not null,
  connection_id uuid not null,
  seller text not null,
  task text not null,
  dialect text not null,
  form text not null,
  outbound text not null,
  status text not null,
  attempts integer not null default 0,
  seller_task_id text,
  a2a_task_id text,
  context_id text,
  answer jsonb,
  errors jsonb,
  findings jsonb,
  observed_by text,
  observed_at timestamptz(3),
  sent_at timestamptz(3),
  next_poll_at timestamptz(3),
  lease_until timestamptz(3),
  elapsed_ms integer,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  seller_buy_id uuid,
  told_at timestamptz(3),
  sealed boolean not null default false,
  custody_at timestamptz(3),
  earlier jsonb,
  constraint leg_pkey primary key (id)
);
-- 3. One index for each kind. `greatest` passes over null: what is leased is due again when its lease ends.
create index leg_due on leg (organization_id, next_poll_at)
  where ((status = any (array['pending'::text, 'sent'::text, 'submitted'::text, 'working'::text, 'input-required'::text, 'auth-required'::text])) and (next_poll_at is not null));
-- What is open among much that has ended. These hold few rows, however many there were.
create index leg_leased on leg (organization_id, lease_until)
  where (lease_until is not null);
create index leg_organization_id_connection_id_seller_task_id_idx on leg (organization_id, connection_id, seller_task_id);
create index leg_organization_id_operation_id_idx on leg (organization_id, operation_id);
create index leg_organization_id_seller_buy_id_idx on leg (organization_id, seller_buy_id);
create index leg_organization_id_status_next_poll_at_idx on leg (organization_id, status, next_poll_at);
create index leg_seller_task_id_given on leg (organization_id, seller_task_id)
  where (seller_task_id is not null);
-- What is not in a chain of custody yet is looked for again and again, and is little.
create index leg_without_custody on leg (organization_id, created_at)
  where ((custody_at is null) and (NOT sealed) and (attempts > 0));
create index leg_without_outcome on leg (organization_id, created_at)
  where (status = any (array['sent'::text, 'submitted'::text, 'working'::text, 'input-required'::text, 'auth-required'::text]));

create table media_buy (
  id text not null,
  organization_id uuid not null,
  operation_id uuid not null,
  principal_id uuid not null,
  buyer_ref text,
  brand jsonb not null,
  operator text not null,
  currency text not null,
  status text not null,
  start_time text not null,
  end_time text not null,
  context jsonb,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  revision integer not null default 1,
  brand_domain text,
  campaign_id uuid,
  client_id uuid,
  constraint media_buy_pkey primary key (id)
);
create index media_buy_buyer_ref_start on media_buy (organization_id, lower(buyer_ref) text_pattern_ops);
create index media_buy_live on media_buy (organization_id, principal_id)
  where (status <> ALL (array['completed'::text, 'rejected'::text, 'canceled'::text]));
create unique index media_buy_operation_id_key on media_buy (operation_id);
create index media_buy_organization_id_brand_domain_created_at_id_idx on media_buy (organization_id, brand_domain, created_at desc, id);
create index media_buy_organization_id_buyer_ref_idx on media_buy (organization_id, buyer_ref);
create index media_buy_organization_id_campaign_id_created_at_id_idx on media_buy (organization_id, campaign_id, created_at desc, id);
create index media_buy_organization_id_client_id_created_at_id_idx on media_buy (organization_id, client_id, created_at desc, id);
create index media_buy_organization_id_created_at_id_idx on media_buy (organization_id, created_at desc, id);
create index media_buy_organization_id_operation_id_idx on media_buy (organization_id, operation_id);
create index media_buy_organization_id_principal_id_created_at_idx on media_buy (organization_id, principal_id, created_at);

-- What the authorization server keeps: clients, requests under way, codes, refresh tokens and what people have agreed to.
-- It is found by the hash of a secret before any tenant is known, and a client may serve people of many organizations:
-- the tables stand outside of tenancy, as instance_note does. `account` names the person alone.
create table oauth_artifact (
  model text not null,
  id text not null,
  payload jsonb not null,
  grant_id text,
  uid text,
  account text,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  consumed_at timestamptz(3),
  constraint oauth_artifact_pkey primary key (model, id)
);
create index oauth_artifact_by_account on oauth_artifact (account, created_at);
create index oauth_artifact_by_expiry on oauth_artifact (expires_at);
create index oauth_artifact_by_grant on oauth_artifact (grant_id);
create index oauth_artifact_by_uid on oauth_artifact (model, uid);

-- Keys that sign access tokens. The private half lies in the vault of one organization, the one that runs the instance.
create table oauth_key (
  kid text not null,
  custodian uuid not null,
  credential_id uuid not null,
  public_jwk jsonb not null,
  created_at timestamptz(3) not null,
  signs_from timestamptz(3) not null,
  constraint oauth_key_pkey primary key (kid)
);
create unique index oauth_key_signs_from on oauth_key (signs_from);

create table off_protocol_billing (
  organization_id uuid not null,
  connection_id uuid not null,
  brand_domain text not null,
  brand_id text not null default '',
  operator text not null,
  found_at timestamptz(3) not null,
  constraint off_protocol_billing_pkey primary key (organization_id, connection_id, brand_domain, brand_id, operator)
);

create table offered_product (
  connection_id uuid not null,
  product_id text not null,
  organization_id uuid not null,
  seller text not null,
  offer jsonb not null,
  offered_at timestamptz(3) not null,
  constraint offered_product_pkey primary key (connection_id, product_id)
);
create index offered_product_organization_id_seller_product_id_idx on offered_product (organization_id, seller, product_id);

create table offered_proposal (
  connection_id uuid not null,
  proposal_id text not null,
  organization_id uuid not null,
  seller text not null,
  proposal jsonb not null,
  proposed_at timestamptz(3) not null,
  constraint offered_proposal_pkey primary key (connection_id, proposal_id)
);
create index offered_proposal_organization_id_seller_proposal_id_idx on offered_proposal (organization_id, seller, proposal_id);

create table operation (
  id uuid not null,
  organization_id uuid not null,
  principal_id uuid,
  task text not null,
  task_id text not null,
  idempotency_key text,
  request_hash text not null,
  buyer_ref text,
  dialect text not null,
  form text not null,
  version text,
  request jsonb not null,
  context jsonb,
  push jsonb,
  status text not null,
  answer jsonb,
  errors jsonb,
  sellers jsonb,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  settled_at timestamptz(3),
  media_buy_id text,
  plan jsonb,
  signed_by jsonb,
  context_id text,
  history jsonb,
  insert_scope text,
  brand_domain text,
  campaign_id uuid,
  client_id uuid,
  constraint operation_pkey primary key (id)
);
create index operation_idempotency_key_given on operation (organization_id, idempotency_key)
  where (idempotency_key is not null);
create index operation_of_the_market on operation (organization_id, settled_at)
  where ((task = any (array['get_products'::text, 'get_signals'::text])) and (settled_at is not null));
create index operation_organization_id_brand_domain_created_at_id_idx on operation (organization_id, brand_domain, created_at desc, id);
create index operation_organization_id_campaign_id_created_at_id_idx on operation (organization_id, campaign_id, created_at desc, id);
create index operation_organization_id_client_id_created_at_id_idx on operation (organization_id, client_id, created_at desc, id);
create index operation_organization_id_created_at_idx on operation (organization_id, created_at);
create index operation_organization_id_insert_scope_created_at_idx on operation (organization_id, insert_scope, created_at);
create index operation_organization_id_media_buy_id_idx on operation (organization_id, media_buy_id);
create index operation_organization_id_principal_id_created_at_id_idx on operation (organization_id, principal_id, created_at desc, id);
create unique index operation_organization_id_principal_id_idempotency_key_key on operation (organization_id, principal_id, idempotency_key);
create index operation_organization_id_status_idx on operation (organization_id, status);
create index operation_organization_id_task_settled_at_idx on operation (organization_id, task, settled_at);
create unique index operation_task_id_key on operation (task_id);
create index operation_unanswered on operation (organization_id, created_at)
  where ((answer is null) and (status <> ALL (array['failed'::text, 'rejected'::text, 'canceled'::text])));

create table organization (
  id uuid not null,
  slug text not null,
  name text not null,
  domain text not null,
  is_public boolean not null default false,
  created_at timestamptz(3) not null,
  currency text not null default 'USD',
  domain_challenge text,
  domain_proof text,
  domain_proved_at timestamptz(3),
  reporting_currency text not null default 'USD',
  time_zone text not null default 'UTC',
  closes_unreconciled boolean not null default false,
  constraint organization_pkey primary key (id)
);
create index organization_created_at_id_idx on organization (created_at, id);
create unique index organization_slug_key on organization (slug);

create table outbox_event (
  id uuid not null,
  position bigserial not null,
  organization_id uuid not null,
  registration_id uuid not null,
  principal_id uuid not null,
  operation_id uuid not null,
  media_buy_id text,
  stream text not null,
  kind text not null,
  notification_type text,
  notification_id text,
  sequence_number integer,
  idempotency_key text not null,
  body bytea not null,
  state text not null,
  attempts integer not null default 0,
  due_at timestamptz(3) not null,
  lease_until timestamptz(3),
  reason text,
  created_at timestamptz(3) not null,
  ended_at timestamptz(3),
  constraint outbox_event_pkey primary key (id)
);
create index outbox_event_due on outbox_event (organization_id, GREATEST(due_at, lease_until))
  where (state = 'waiting'::text);
create index outbox_event_ended on outbox_event (organization_id, ended_at)
  where ((ended_at is not null) and (state <> 'waiting'::text));
create unique index outbox_event_idempotency_key_key on outbox_event (idempotency_key);
create index outbox_event_leased on outbox_event (organization_id, lease_until)
  where (lease_until is not null);
create index outbox_event_organization_id_created_at_id_idx on outbox_event (organization_id, created_at desc, id desc);
create index outbox_event_organization_id_ended_at_idx on outbox_event (organization_id, ended_at);
create index outbox_event_organization_id_media_buy_id_idx on outbox_event (organization_id, media_buy_id);
create index outbox_event_organization_id_operation_id_idx on outbox_event (organization_id, operation_id);
create index outbox_event_organization_id_state_due_at_idx on outbox_event (organization_id, state, due_at);
create index outbox_event_organization_id_stream_state_position_idx on outbox_event (organization_id, stream, state, "position");

create table payment_term (
  organization_id uuid not null,
  seller text not null,
  days integer not null,
  set_by uuid not null,
  set_at timestamptz(3) not null,
  constraint payment_term_pkey primary key (organization_id, seller)
);

-- What is asked after a person's password. The secret of the codes lies in the vault; of recovery codes the hashes are here.
create table person_factor (
  principal_id uuid not null,
  organization_id uuid not null,
  totp_credential_id uuid,
  totp_since timestamptz(3),
  totp_last_step bigint,
  totp_pending_id uuid,
  recovery_hashes text[] default ARRAY[]::text[],
  constraint person_factor_pkey primary key (principal_id)
);
create index person_factor_organization_id_idx on person_factor (organization_id);

-- Public keys of people's authenticators (WebAuthn). The id of a credential is unique on the installation, for it is how
-- the organization is found.
create table person_passkey (
  id uuid not null,
  organization_id uuid not null,
  principal_id uuid not null,
  credential_id text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] default ARRAY[]::text[],
  name text not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  constraint person_passkey_pkey primary key (id)
);
create unique index person_passkey_credential_id_key on person_passkey (credential_id);
create index person_passkey_organization_id_principal_id_idx on person_passkey (organization_id, principal_id);

-- A person's e-mail address and the Argon2id hash of the password. The address is unique on the installation, for it is
-- how the organization is found.
create table person_password (
  principal_id uuid not null,
  organization_id uuid not null,
  email text not null,
  hash text not null,
  failed_attempts integer not null default 0,
  locked_until timestamptz(3),
  changed_at timestamptz(3) not null,
  constraint person_password_pkey primary key (principal_id)
);
create unique index person_password_email_key on person_password (email);
create index person_password_organization_id_idx on person_password (organization_id);

create table principal (
  id uuid not null,
  organization_id uuid not null,
  name text not null,
  kind text not null,
  permissions jsonb not null,
  transitional boolean not null default false,
  legacy boolean not null default false,
  created_at timestamptz(3) not null,
  disabled_at timestamptz(3),
  brand_domain text,
  constraint principal_pkey primary key (id)
);
create index principal_name_start on principal (organization_id, lower(name) text_pattern_ops);
create index principal_organization_id_created_at_id_idx on principal (organization_id, created_at, id);
create unique index principal_organization_id_name_key on principal (organization_id, name);

create table principal_account (
  id uuid not null,
  organization_id uuid not null,
  principal_id uuid not null,
  brand_domain text not null,
  brand_id text not null default '',
  operator text not null,
  created_at timestamptz(3) not null,
  closed_at timestamptz(3),
  is_sandbox boolean not null default false,
  held_at timestamptz(3),
  hold text,
  hold_reason text,
  constraint principal_account_hold check ((((hold = ANY (ARRAY['payment_required'::text, 'suspended'::text])) AND (hold_reason IS NOT NULL) AND (held_at IS NOT NULL)) OR ((hold IS NULL) AND (hold_reason IS NULL) AND (held_at IS NULL)))),
  constraint principal_account_pkey primary key (id)
);
-- One open account per pair; closed ones stand beside it.
create unique index principal_account_one_open on principal_account (organization_id, principal_id, brand_domain, brand_id, operator)
  where (closed_at is null);
create index principal_account_organization_id_created_at_id_idx on principal_account (organization_id, created_at, id);
create index principal_account_organization_id_principal_id_idx on principal_account (organization_id, principal_id);

create table principal_identity (
  id uuid not null,
  organization_id uuid not null,
  principal_id uuid not null,
  kind text not null,
  issuer text not null default '',
  subject text not null,
  created_at timestamptz(3) not null,
  removed_at timestamptz(3),
  proved_at timestamptz(3),
  constraint principal_identity_pkey primary key (id)
);
-- A name stands for one principal in the whole installation, because it is how the tenant is found.
create unique index principal_identity_once on principal_identity (kind, issuer, subject, organization_id)
  where (removed_at is null);
create index principal_identity_organization_id_principal_id_idx on principal_identity (organization_id, principal_id);

create table principal_signer (
  id uuid not null,
  organization_id uuid not null,
  principal_id uuid not null,
  agent_url text not null,
  jwks_uri text,
  jwks jsonb,
  dialect text not null,
  created_at timestamptz(3) not null,
  removed_at timestamptz(3),
  allows_rsa_pss boolean not null default false,
  agent_protocol text,
  found_jwks_uri text,
  proved_keys text[] default ARRAY[]::text[],
  constraint principal_signer_pkey primary key (id)
);
create index principal_signer_organization_id_created_at_id_idx on principal_signer (organization_id, created_at, id);
create index principal_signer_organization_id_principal_id_idx on principal_signer (organization_id, principal_id);

create table principal_token (
  id uuid not null,
  organization_id uuid not null,
  principal_id uuid not null,
  token_hash bytea not null,
  label text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  permissions jsonb,
  scheme text not null default 'bearer',
  opened_by uuid,
  device text,
  address text,
  last_used_at timestamptz(3),
  constraint principal_token_pkey primary key (id)
);
create index principal_token_opened_by on principal_token (organization_id, opened_by);
create index principal_token_organization_id_principal_id_idx on principal_token (organization_id, principal_id);
create unique index principal_token_token_hash_key on principal_token (token_hash);

create table reconciliation_break (
  id uuid not null,
  organization_id uuid not null,
  period text not null,
  fingerprint text not null,
  round integer not null default 1,
  kind text not null,
  seller text not null,
  media_buy_id text,
  package_ref text,
  client_id uuid,
  brand_domain text,
  campaign_id uuid,
  currency text not null,
  ordered_micros bigint,
  reported_micros bigint,
  polled_micros bigint,
  invoiced_micros bigint,
  difference_micros bigint not null,
  cause text not null,
  evidence text[],
  state text not null,
  owner_id uuid,
  found_at timestamptz(3) not null,
  seen_at timestamptz(3) not null,
  resolution text,
  reason text,
  resolved_by uuid,
  resolved_at timestamptz(3),
  entry_id uuid,
  third_party_micros bigint,
  third_party_source text,
  tolerance jsonb,
  constraint reconciliation_break_pkey primary key (id)
);
create unique index reconciliation_break_organization_id_period_fingerprint_rou_key on reconciliation_break (organization_id, period, fingerprint, round);
create index reconciliation_break_organization_id_state_found_at_id_idx on reconciliation_break (organization_id, state, found_at desc, id);

create table reconciliation_run (
  organization_id uuid not null,
  period text not null,
  block_number bigint not null,
  matched integer not null,
  found integer not null,
  ran_by uuid not null,
  ran_at timestamptz(3) not null,
  constraint reconciliation_run_pkey primary key (organization_id, period)
);

create table refused_signature (
  id uuid not null,
  organization_id uuid not null,
  is_stranger boolean not null,
  code text not null,
  keyid text,
  agent_url text,
  principal_name text,
  method text not null,
  path text not null,
  steps jsonb not null,
  refused_at timestamptz(3) not null,
  constraint refused_signature_pkey primary key (id)
);
create index refused_signature_organization_id_code_refused_at_id_idx on refused_signature (organization_id, code, refused_at desc, id desc);
create index refused_signature_organization_id_refused_at_idx on refused_signature (organization_id, refused_at);

create table relay_request (
  id uuid not null,
  organization_id uuid not null,
  principal_id uuid not null,
  seller text not null,
  way text not null,
  task text,
  delegation_id uuid,
  operation_id uuid,
  keyid text,
  nonce text,
  body_hash text not null,
  held_micros bigint,
  state text not null,
  outcome text,
  code text,
  draft text,
  arrived_at timestamptz(3) not null,
  ended_at timestamptz(3),
  commitment_id uuid,
  constraint relay_request_pkey primary key (id)
);
alter table relay_request set (toast_tuple_target = 8160);
create index relay_request_held on relay_request (organization_id, delegation_id)
  where (held_micros is not null);
-- A relayed request is written once before it is passed on and once when its record is sealed. What is looked for by
-- its state or by what it holds is little of it, so those indexes hold that little alone.
create index relay_request_open on relay_request (organization_id, arrived_at)
  where (state = 'open'::text);
create index relay_request_organization_id_arrived_at_id_idx on relay_request (organization_id, arrived_at desc, id);
create index relay_request_organization_id_operation_id_idx on relay_request (organization_id, operation_id);
create index relay_request_organization_id_outcome_arrived_at_id_idx on relay_request (organization_id, outcome, arrived_at desc, id);
create index relay_request_organization_id_principal_id_arrived_at_idx on relay_request (organization_id, principal_id, arrived_at);
create index relay_request_organization_id_seller_arrived_at_id_idx on relay_request (organization_id, seller, arrived_at desc, id);

create table report_stream (
  registration_id uuid not null,
  organization_id uuid not null,
  media_buy_id text not null,
  sequence_number integer not null default 0,
  due_at timestamptz(3),
  created_at timestamptz(3) not null,
  constraint report_stream_pkey primary key (registration_id)
);
create index report_stream_due on report_stream (organization_id, due_at)
  where (due_at is not null);
create index report_stream_organization_id_due_at_idx on report_stream (organization_id, due_at);
create index report_stream_organization_id_media_buy_id_idx on report_stream (organization_id, media_buy_id);

create table report_version (
  id uuid not null,
  organization_id uuid not null,
  connection_id uuid not null,
  seller text not null,
  media_buy_id text not null,
  seller_buy_id uuid not null,
  package_ref text not null,
  period_start timestamptz(3) not null,
  period_end timestamptz(3) not null,
  granularity text not null,
  measurement_window text not null default '',
  version integer not null,
  is_current boolean not null,
  notification_type text not null,
  is_final boolean,
  sequence_number integer,
  stream text not null,
  reported_at timestamptz(3) not null,
  received_at timestamptz(3) not null,
  source text not null,
  event_id uuid,
  operation_id uuid not null,
  currency text not null,
  spend_micros bigint not null,
  spend_text text not null,
  impressions bigint,
  clicks bigint,
  entry_id uuid,
  constraint report_version_pkey primary key (id)
);
create index report_version_organization_id_media_buy_id_idx on report_version (organization_id, media_buy_id);
create unique index report_version_seller_buy_id_period_end_period_start_packag_key on report_version (seller_buy_id, period_end, period_start, package_ref, granularity, measurement_window, version);

create table report_watch (
  leg_id uuid not null,
  organization_id uuid not null,
  connection_id uuid not null,
  seller_buy_id uuid not null,
  highest_sequence integer not null default 0,
  missing integer[],
  next_expected_at timestamptz(3),
  last_report_at timestamptz(3),
  last_pulled_at timestamptz(3),
  last_outcome text,
  due_at timestamptz(3),
  created_at timestamptz(3) not null,
  figures_expected_at timestamptz(3)[] default (ARRAY[]::timestamp with time zone[])::timestamp(3) with time zone[],
  lease_until timestamptz(3),
  constraint report_watch_pkey primary key (leg_id)
);
create index report_watch_due on report_watch (organization_id, GREATEST(due_at, lease_until))
  where (due_at is not null);
create index report_watch_organization_id_due_at_idx on report_watch (organization_id, due_at);

create table role (
  organization_id uuid not null,
  name text not null,
  permissions jsonb not null,
  updated_at timestamptz(3) not null,
  constraint role_pkey primary key (organization_id, name)
);

create table seen_key (
  organization_id uuid not null,
  surface text not null,
  agent_url text not null,
  keyid text not null,
  first_at timestamptz(3) not null,
  constraint seen_key_pkey primary key (organization_id, surface, agent_url, keyid)
);
create index seen_key_organization_id_first_at_idx on seen_key (organization_id, first_at);

create table seller_buy (
  id uuid not null,
  organization_id uuid not null,
  media_buy_id text not null,
  leg_id uuid not null,
  connection_id uuid not null,
  seller text not null,
  seller_media_buy_id text,
  status text not null,
  status_as_of timestamptz(3),
  revision integer,
  confirmed_at timestamptz(3),
  reporting_ended_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  actions jsonb,
  said jsonb,
  is_watched boolean not null default false,
  constraint seller_buy_pkey primary key (id)
);
create unique index seller_buy_connection_id_seller_media_buy_id_key on seller_buy (connection_id, seller_media_buy_id);
create unique index seller_buy_leg_id_key on seller_buy (leg_id);
create index seller_buy_organization_id_media_buy_id_idx on seller_buy (organization_id, media_buy_id);
create index seller_buy_seller_media_buy_id_given on seller_buy (organization_id, seller_media_buy_id)
  where (seller_media_buy_id is not null);
create index seller_buy_unwatched on seller_buy (organization_id, created_at)
  where ((seller_media_buy_id is not null) and (NOT is_watched));

create table signal_activation (
  organization_id uuid not null,
  connection_id uuid not null,
  segment_id text not null,
  target_key text not null,
  target jsonb not null,
  state text not null,
  activation_key jsonb,
  deployed_at text,
  said_at timestamptz(3),
  ready_at timestamptz(3),
  seen_at timestamptz(3) not null,
  look_at timestamptz(3),
  asked boolean not null default false,
  asked_by uuid,
  constraint signal_activation_pkey primary key (organization_id, connection_id, segment_id, target_key)
);
create index signal_activation_due on signal_activation (organization_id, look_at)
  where ((state = 'activating'::text) and (look_at is not null));
create index signal_activation_organization_id_look_at_idx on signal_activation (organization_id, look_at);

create table signature_nonce (
  keyid text not null,
  nonce text not null,
  expires_at timestamptz(3) not null,
  constraint signature_nonce_pkey primary key (keyid, nonce)
);
create index signature_nonce_expires_at_idx on signature_nonce (expires_at);

create table signing_key (
  kid text not null,
  organization_id uuid not null,
  principal_id uuid,
  credential_id uuid,
  public_jwk jsonb not null,
  state text not null,
  created_at timestamptz(3) not null,
  retired_at timestamptz(3),
  kms_key_id text,
  live_at timestamptz(3),
  retiring_at timestamptz(3),
  constraint signing_key_pkey primary key (kid)
);
-- One key signs for a principal, and one waits: two processes that both find none cannot both make one.
create unique index signing_key_one_live on signing_key (organization_id, principal_id)
  where (state = 'live'::text);
create unique index signing_key_one_published on signing_key (organization_id, principal_id)
  where (state = 'published'::text);
create index signing_key_organization_id_created_at_kid_idx on signing_key (organization_id, created_at, kid);
create index signing_key_organization_id_principal_id_idx on signing_key (organization_id, principal_id);
-- Calls that no principal made are signed by a key of the organization's own, which names no principal: nulls are
-- distinct to the two indexes that keep a principal to one key of a kind.
create unique index signing_key_own_live on signing_key (organization_id)
  where ((state = 'live'::text) and (principal_id is null));
create unique index signing_key_own_published on signing_key (organization_id)
  where ((state = 'published'::text) and (principal_id is null));
create index signing_key_rotating on signing_key (organization_id, created_at)
  where (state = any (array['published'::text, 'retiring'::text]));

create table spend_commitment (
  id uuid not null,
  organization_id uuid not null,
  operation_id uuid not null,
  leg_id uuid not null,
  media_buy_id text,
  seller text not null,
  principal_id uuid not null,
  client_id uuid,
  brand_domain text,
  campaign_id uuid,
  currency text not null,
  amount_micros bigint not null,
  state text not null,
  month text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint spend_commitment_pkey primary key (id)
);
create unique index spend_commitment_leg_id_key on spend_commitment (leg_id);
create index spend_commitment_organization_id_media_buy_id_idx on spend_commitment (organization_id, media_buy_id);
create index spend_commitment_organization_id_operation_id_idx on spend_commitment (organization_id, operation_id);

create table spend_total (
  organization_id uuid not null,
  kind text not null,
  key text not null,
  currency text not null,
  month text not null,
  pending_micros bigint not null default 0,
  committed_micros bigint not null default 0,
  constraint spend_total_pkey primary key (organization_id, kind, key, currency, month)
);

create table spending_limit (
  id uuid not null,
  organization_id uuid not null,
  kind text not null,
  key text not null default '',
  amount_micros bigint not null,
  currency text not null,
  per text,
  above text not null default 'ask',
  set_by uuid,
  created_at timestamptz(3) not null,
  removed_at timestamptz(3),
  removed_by uuid,
  constraint spending_limit_pkey primary key (id)
);
create index spending_limit_organization_id_created_at_id_idx on spending_limit (organization_id, created_at desc, id);
create index spending_limit_organization_id_kind_key_idx on spending_limit (organization_id, kind, key);

create table third_party_figure (
  organization_id uuid not null,
  import_id uuid not null,
  row integer not null,
  seller_buy_id uuid not null,
  package_ref text not null,
  day text not null,
  spend_micros bigint not null,
  impressions bigint,
  constraint third_party_figure_pkey primary key (import_id, "row")
);
create index third_party_figure_organization_id_seller_buy_id_day_idx on third_party_figure (organization_id, seller_buy_id, day);

create table told_period (
  registration_id uuid not null,
  organization_id uuid not null,
  period_start timestamptz(3) not null,
  period_end timestamptz(3) not null,
  figures_hash text not null,
  event_id uuid not null,
  told_at timestamptz(3) not null,
  constraint told_period_pkey primary key (registration_id, period_start, period_end)
);
create index told_period_organization_id_idx on told_period (organization_id);

create table tolerance (
  id uuid not null,
  organization_id uuid not null,
  seller text not null default '',
  client text not null default '',
  absolute_micros bigint not null,
  percent_hundredths integer not null,
  set_by uuid not null,
  set_at timestamptz(3) not null,
  constraint tolerance_pkey primary key (id)
);
create unique index tolerance_organization_id_seller_client_key on tolerance (organization_id, seller, client);
create index tolerance_organization_id_set_at_id_idx on tolerance (organization_id, set_at desc, id);

create table trust_document (
  url text not null,
  content jsonb not null,
  fetched_at timestamptz(3) not null,
  constraint trust_document_pkey primary key (url)
);

create table webhook_attempt (
  event_id uuid not null,
  attempt integer not null,
  organization_id uuid not null,
  url text not null,
  fired_at timestamptz(3) not null,
  completed_at timestamptz(3),
  status text not null,
  http_status_code integer,
  response_time_ms integer,
  error_message text,
  payload_bytes integer,
  constraint webhook_attempt_pkey primary key (event_id, attempt)
);
create index webhook_attempt_organization_id_event_id_idx on webhook_attempt (organization_id, event_id);
create index webhook_attempt_organization_id_fired_at_idx on webhook_attempt (organization_id, fired_at);

create table webhook_claim (
  sender text not null,
  idempotency_key text not null,
  body_hash text not null,
  event_id uuid not null,
  claimed_at timestamptz(3) not null,
  keep_until timestamptz(3),
  is_weaker boolean not null default false,
  constraint webhook_claim_pkey primary key (sender, idempotency_key)
);
create index webhook_claim_keep_until_idx on webhook_claim (keep_until);

create table webhook_registration (
  id text not null,
  organization_id uuid not null,
  connection_id uuid not null,
  leg_id uuid not null,
  operation_id uuid not null,
  kind text not null,
  mode text not null,
  seller_operation_id text not null,
  created_at timestamptz(3) not null,
  credential_id uuid,
  token_hash text,
  constraint webhook_registration_pkey primary key (id)
);
create index webhook_registration_organization_id_leg_id_idx on webhook_registration (organization_id, leg_id);
create index webhook_registration_organization_id_operation_id_idx on webhook_registration (organization_id, operation_id);
-- A reporting webhook names no operation: under a standing address its registration is found by the buy it is about.
create index webhook_registration_standing on webhook_registration (split_part(id, '.r.'::text, 1))
  where ((kind = 'report'::text) and starts_with(id, 'whs_'::text));
-- A post of A2A's own channel names no operation: under a standing address its registration is found by the task.
create index webhook_registration_standing_native on webhook_registration (split_part(id, '.a.'::text, 1))
  where ((kind = 'a2a'::text) and starts_with(id, 'whs_'::text));

-- References between tables.
