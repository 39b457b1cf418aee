-- runs with: 20261124065500_relay_admits_in_fewer_statements
-- replaces all until: 20261124065500_relay_admits_in_fewer_statements
-- Rows that are written once: what was observed, posted or decided.
create trigger written_once before delete or update on custody_entry for each row execute function refuse_change();
create trigger written_once before delete or update on event_decision for each row execute function refuse_change();

-- Other rules over rows; each function says why.
create trigger audit_event_ends_once before update on audit_event for each row execute function audit_event_ends_once();
create trigger journal_anchor_stays before delete or update on journal_anchor for each row execute function journal_anchor_stays();
create trigger counted after insert or delete or update on spend_commitment for each row execute function count_commitment();

-- The stream of changes (GET /v1/changes): which changes of which tables are written.
do $$
declare
  own constant text := 'n.principal_id, n.client_id, n.brand_domain, n.campaign_id';
  of_buy constant text := 'b.principal_id, b.client_id, b.brand_domain, b.campaign_id';
  of_operation constant text := 'o.principal_id, o.client_id, o.brand_domain, o.campaign_id';
  buy constant text := 'left join public.media_buy b on b.id = n.media_buy_id';
  operation constant text := 'left join public.operation o on o.id = n.operation_id';
  -- Questions to the market change nothing.
  no_question constant text := $c$new.task not in ('get_products', 'get_signals')$c$;
begin
  perform publish_changes('media_buy', 'media_buy', 'n.id', own, created => 'true', updated => columns_changed(
    'status', 'revision', 'start_time', 'end_time', 'buyer_ref', 'client_id', 'brand_domain', 'campaign_id'));
  -- Whoever saw it where it was before is told as well.
  create trigger change_moved after update on media_buy for each row
    when ((new.client_id, new.brand_domain, new.campaign_id) is distinct from (old.client_id, old.brand_domain, old.campaign_id))
    execute function change_of_media_buy('moved');
  perform publish_changes('seller_buy', 'media_buy', 'n.media_buy_id', of_buy, buy, updated => columns_changed(
    'status', 'revision', 'actions', 'said', 'seller_media_buy_id', 'confirmed_at', 'reporting_ended_at'));
  perform publish_changes('buy_package', 'media_buy', 'n.media_buy_id', of_buy, buy, updated => columns_changed(
    'budget_micros', 'bid_micros', 'paused', 'canceled_at', 'seller_package_id', 'targeting', 'terms'));
  create trigger change_created after insert on report_version
    referencing new table as new_rows for each statement execute function change_of_report_version();
  perform publish_changes('impairment', 'impairment', 'n.id', of_buy, buy,
    created => 'true', updated => columns_changed('resolved_at', 'detail'));
  perform publish_changes('operation', 'operation', 'n.id', own, created => no_question,
    updated => no_question || ' and ' || columns_changed('status', 'settled_at', 'client_id', 'brand_domain', 'campaign_id'));
  perform publish_changes('leg', 'operation', 'n.operation_id', of_operation, operation,
    updated => no_question || ' and ' || columns_changed('status'));
  perform publish_changes('approval', 'approval', 'n.id', of_operation, operation,
    created => 'true', updated => columns_changed('state', 'answered_at', 'closed_at', 'outcome'));
  -- What is taken in and applied shows in its buy, and comes in thousands per second: only what a person may have to
  -- look at is written.
  perform publish_changes('inbox_event', 'event', 'n.id', of_operation,
    'left join public.webhook_registration r on r.id = n.registration_id
     left join public.operation o on o.id = r.operation_id',
    created => $c$new.state <> 'received'$c$,
    updated => $c$new.state <> old.state and (new.state <> 'applied' or old.state <> 'received')$c$);
  perform publish_changes('outbox_event', 'outbox_event', 'n.id', of_operation, operation,
    updated => columns_changed('state'));
  perform publish_changes('connection', 'seller', 'n.slug', created => 'true', removed => 'true', updated => columns_changed(
    'name', 'agent_url', 'state', 'state_reason', 'form', 'kinds', 'account', 'capabilities', 'credential_id',
    'webhook_credential_id', 'legacy_webhooks', 'wants_relay_signature', 'report_registration'));
  perform publish_changes('connection_health', 'seller', 'c.slug',
    joins => 'left join public.connection c on c.id = n.connection_id', updated => columns_changed('breaker'));
  perform publish_changes('credential', 'credential', 'n.credential_id',
    created => $c$new.connection_id is not null and new.kind <> 'callback'$c$,
    updated => $c$new.connection_id is not null and new.kind <> 'callback' and $c$ || columns_changed('retired_at'));
  perform publish_changes('alarm', 'alarm', 'n.id', created => 'true', updated => columns_changed('acknowledged_at'));
  perform publish_changes('creative', 'creative', 'n.creative_id', of_operation,
    'left join public.operation o on o.id = coalesce(n.first_operation_id, n.operation_id)', created => 'true',
    updated => columns_changed('name', 'status', 'body_hash', 'archived_at'));
  perform publish_changes('client', 'client', 'n.id', 'null, n.id, null, null', created => 'true', removed => 'true',
    updated => 'new.* is distinct from old.*');
  perform publish_changes('brand', 'brand', 'n.id', 'null, n.client_id, n.domain, null', created => 'true',
    removed => 'true', updated => 'new.* is distinct from old.*');
  perform publish_changes('campaign', 'campaign', 'n.id', 'n.owner_id, n.client_id, n.brand_domain, n.id',
    created => 'true', removed => 'true', updated => 'new.* is distinct from old.*');
  perform publish_changes('delegation', 'delegation', 'n.id', 'n.principal_id, null, null, null',
    created => 'true', updated => columns_changed('until_at', 'revoked_at'));
  perform publish_changes('principal', 'principal', 'n.id', 'n.id, null, null, null', created => 'true',
    updated => 'new.* is distinct from old.*');
  perform publish_changes('principal_token', 'principal', 'n.principal_id', 'n.principal_id, null, null, null',
    created => 'true', removed => 'true', updated => columns_changed('permissions', 'expires_at', 'revoked_at'));
  perform publish_changes('principal_identity', 'principal', 'n.principal_id', 'n.principal_id, null, null, null',
    created => 'true', removed => 'true', updated => columns_changed('removed_at', 'proved_at'));
  perform publish_changes('principal_account', 'account', 'n.id', 'n.principal_id, null, null, null', created => 'true',
    updated => columns_changed('closed_at', 'hold', 'hold_reason'));
  perform publish_changes('access_grant', 'grant', 'n.id', 'n.principal_id, null, null, null', created => 'true',
    removed => 'true', updated => 'new.* is distinct from old.*');
  perform publish_changes('role', 'role', 'n.name', created => 'true', removed => 'true',
    updated => 'new.* is distinct from old.*');
  perform publish_changes('signing_key', 'key', 'n.kid', 'n.principal_id, null, null, null', created => 'true',
    updated => columns_changed('state'));
end
$$;
