-- runs with: 20261124065500_relay_admits_in_fewer_statements
-- replaces all until: 20261124065500_relay_admits_in_fewer_statements
-- The second lock of tenancy. The first is the code, which passes a tenant's scope to every repository function. This
-- one holds where the code forgets: without a scope the application sees no row, and in one tenant's scope it neither
-- reads nor writes the rows of another.
--
-- A transaction names its tenant by set_config('switchyard.organization_id', <uuid>, true). Where nothing is set, the
-- setting reads as null or as an empty text; nullif makes both null, and a comparison with null is never true.
--
-- Without row-level security stand signature_nonce and webhook_claim, whose keys belong to senders that may reach several
-- tenants, and instance_note, trust_document, oauth_artifact and oauth_key, which belong to the installation.
select stand_under_tenancy('access_grant');
select stand_under_tenancy('account_figure');
select stand_under_tenancy('accounting_period');
select stand_under_tenancy('alarm');
select stand_under_tenancy('approval');
select stand_under_tenancy('audit_event');
select stand_under_tenancy('book_code');
select stand_under_tenancy('brand');
select stand_under_tenancy('break_comment');
select stand_under_tenancy('buy_assignment');
select stand_under_tenancy('buy_change');
select stand_under_tenancy('buy_package');
select stand_under_tenancy('buyer_registration');
select stand_under_tenancy('campaign');
select stand_under_tenancy('campaign_rule');
select stand_under_tenancy('change_event');
select stand_under_tenancy('client');
select stand_under_tenancy('connection');
select stand_under_tenancy('connection_health');
select stand_under_tenancy('counted_spend');
select stand_under_tenancy('creative');
select stand_under_tenancy('creative_assignment');
select stand_under_tenancy('creative_placement');
select stand_under_tenancy('credential');
select stand_under_tenancy('credential_use');
select stand_under_tenancy('custody_entry');
select stand_under_tenancy('delegation');
select stand_under_tenancy('emergency_stop');
select stand_under_tenancy('event_decision');
select stand_under_tenancy('exchange_rate');
select stand_under_tenancy('figure_import');
select stand_under_tenancy('finance_file');
select stand_under_tenancy('finance_file_part');
select stand_under_tenancy('impairment');
select stand_under_tenancy('inbox_duplicate');
select stand_under_tenancy('inbox_event');
select stand_under_tenancy('internal_approval');
select stand_under_tenancy('invitation');
select stand_under_tenancy('invoice');
select stand_under_tenancy('invoice_attachment');
select stand_under_tenancy('invoice_line');
select stand_under_tenancy('invoice_mapping');
select stand_under_tenancy('invoice_payment');
select stand_under_tenancy('journal_anchor');
select stand_under_tenancy('journal_batch');
select stand_under_tenancy('journal_batch_entry');
select stand_under_tenancy('journal_block');
select stand_under_tenancy('journal_checkpoint');
select stand_under_tenancy('journal_head');
select stand_under_tenancy('kept_answer');
select stand_under_tenancy('ledger_balance');
select stand_under_tenancy('ledger_entry');
select stand_under_tenancy('ledger_posting');
select stand_under_tenancy('leg');
select stand_under_tenancy('media_buy');
select stand_under_tenancy('off_protocol_billing');
select stand_under_tenancy('offered_product');
select stand_under_tenancy('offered_proposal');
select stand_under_tenancy('operation');
select stand_under_tenancy('outbox_event');
select stand_under_tenancy('payment_term');
select stand_under_tenancy('person_factor');
select stand_under_tenancy('person_passkey');
select stand_under_tenancy('person_password');
select stand_under_tenancy('principal');
select stand_under_tenancy('principal_account');
select stand_under_tenancy('principal_identity');
select stand_under_tenancy('principal_signer');
select stand_under_tenancy('principal_token');
select stand_under_tenancy('reconciliation_break');
select stand_under_tenancy('reconciliation_run');
select stand_under_tenancy('refused_signature');
select stand_under_tenancy('relay_request');
select stand_under_tenancy('report_stream');
select stand_under_tenancy('report_version');
select stand_under_tenancy('report_watch');
select stand_under_tenancy('role');
select stand_under_tenancy('seen_key');
select stand_under_tenancy('seller_buy');
select stand_under_tenancy('signal_activation');
select stand_under_tenancy('signing_key');
select stand_under_tenancy('spend_commitment');
select stand_under_tenancy('spend_total');
select stand_under_tenancy('spending_limit');
select stand_under_tenancy('third_party_figure');
select stand_under_tenancy('told_period');
select stand_under_tenancy('tolerance');
select stand_under_tenancy('webhook_attempt');
select stand_under_tenancy('webhook_registration');

-- The tenant itself is one of its own rows.
alter table organization enable row level security, force row level security;
create policy tenant on organization for all
  using (id = nullif(current_setting('switchyard.organization_id', true), '')::uuid)
  with check (id = nullif(current_setting('switchyard.organization_id', true), '')::uuid);

-- What functions read before the tenant is known. They run as the lookup role, which cannot log in and changes nothing.
comment on table access_grant is 'read before the tenant is known';
comment on table approval is 'read before the tenant is known';
comment on table audit_event is 'read before the tenant is known';
comment on table buy_change is 'read before the tenant is known';
comment on table buyer_registration is 'read before the tenant is known';
comment on table change_event is 'read before the tenant is known';
comment on table connection is 'read before the tenant is known';
comment on table creative_placement is 'read before the tenant is known';
comment on table credential is 'read before the tenant is known';
comment on table credential_use is 'read before the tenant is known';
comment on table inbox_event is 'read before the tenant is known';
comment on table internal_approval is 'read before the tenant is known';
comment on table invitation is 'read before the tenant is known';
comment on table leg is 'read before the tenant is known';
comment on table operation is 'read before the tenant is known';
comment on table organization is 'read before the tenant is known';
comment on table outbox_event is 'read before the tenant is known';
comment on table person_passkey is 'read before the tenant is known';
comment on table person_password is 'read before the tenant is known';
comment on table principal is 'read before the tenant is known';
comment on table principal_identity is 'read before the tenant is known';
comment on table principal_signer is 'read before the tenant is known';
comment on table principal_token is 'read before the tenant is known';
comment on table refused_signature is 'read before the tenant is known';
comment on table relay_request is 'read before the tenant is known';
comment on table report_stream is 'read before the tenant is known';
comment on table report_watch is 'read before the tenant is known';
comment on table role is 'read before the tenant is known';
comment on table seller_buy is 'read before the tenant is known';
comment on table signal_activation is 'read before the tenant is known';
comment on table signing_key is 'read before the tenant is known';
comment on table webhook_registration is 'read before the tenant is known';
select assign_lookup_functions();

-- What is beyond its retention is removed by forget_audit alone.
do $$
declare
  lookup constant name := (
    select r.rolname from pg_proc p join pg_roles r on r.oid = p.proowner
    where p.oid = 'public.forget_audit(timestamptz, integer)'::regprocedure);
begin
  execute format('grant delete on audit_event, credential_use to %I', lookup);
  execute format(
    'create policy beyond_retention on audit_event for delete to %I using (at < now() - interval ''30 days'')', lookup);
  execute format(
    'create policy beyond_retention on credential_use for delete to %I using (used_at < now() - interval ''30 days'')', lookup);
end
$$;
