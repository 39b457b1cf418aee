-- runs with: 20261123120400_journal_checkpoints
-- outside a transaction
create index concurrently if not exists "operation_organization_id_campaign_id_created_at_id_idx" on "operation"("organization_id", "campaign_id", "created_at" DESC, "id");
create index concurrently if not exists operation_idempotency_key_given on operation (organization_id, idempotency_key) where idempotency_key is not null;
create index concurrently if not exists leg_seller_task_id_given on leg (organization_id, seller_task_id) where seller_task_id is not null;
create index concurrently if not exists seller_buy_seller_media_buy_id_given on seller_buy (organization_id, seller_media_buy_id) where seller_media_buy_id is not null;
create index concurrently if not exists "inbox_event_organization_id_connection_id_received_at_id_idx" on "inbox_event"("organization_id", "connection_id", "received_at" DESC, "id" DESC);
create index concurrently if not exists "inbox_event_organization_id_kind_received_at_id_idx" on "inbox_event"("organization_id", "kind", "received_at" DESC, "id" DESC);
create index concurrently if not exists "inbox_duplicate_of_connection" on "inbox_duplicate"("organization_id", "connection_id", "last_seen_at" DESC, "id" DESC);
create index concurrently if not exists "relay_request_organization_id_arrived_at_id_idx" on "relay_request"("organization_id", "arrived_at" DESC, "id");
create index concurrently if not exists "relay_request_organization_id_seller_arrived_at_id_idx" on "relay_request"("organization_id", "seller", "arrived_at" DESC, "id");
create index concurrently if not exists "relay_request_organization_id_outcome_arrived_at_id_idx" on "relay_request"("organization_id", "outcome", "arrived_at" DESC, "id");
create index concurrently if not exists "relay_request_organization_id_operation_id_idx" on "relay_request"("organization_id", "operation_id");
create index concurrently if not exists "refused_signature_organization_id_code_refused_at_id_idx" on "refused_signature"("organization_id", "code", "refused_at" DESC, "id" DESC);
create index concurrently if not exists "principal_account_organization_id_created_at_id_idx" on "principal_account"("organization_id", "created_at", "id");
create index concurrently if not exists "delegation_organization_id_granted_at_id_idx" on "delegation"("organization_id", "granted_at" DESC, "id");
create index concurrently if not exists "credential_organization_id_credential_id_version_idx" on "credential"("organization_id", "credential_id", "version");
create index concurrently if not exists client_name_start on client (organization_id, lower(name) text_pattern_ops);
create index concurrently if not exists campaign_name_start on campaign (organization_id, lower(name) text_pattern_ops);
create index concurrently if not exists campaign_reference_start on campaign (organization_id, lower(reference) text_pattern_ops);
create index concurrently if not exists campaign_po_number_start on campaign (organization_id, lower(po_number) text_pattern_ops);
create index concurrently if not exists principal_name_start on principal (organization_id, lower(name) text_pattern_ops);
create index concurrently if not exists connection_name_start on connection (organization_id, lower(name) text_pattern_ops);
create index concurrently if not exists connection_slug_start on connection (organization_id, lower(slug) text_pattern_ops);
create index concurrently if not exists brand_name_start on brand (organization_id, lower(name) text_pattern_ops);
create index concurrently if not exists brand_domain_start on brand (organization_id, lower(domain) text_pattern_ops);
create index concurrently if not exists brand_brand_id_start on brand (organization_id, lower(brand_id) text_pattern_ops);
create index concurrently if not exists media_buy_buyer_ref_start on media_buy (organization_id, lower(buyer_ref) text_pattern_ops);
