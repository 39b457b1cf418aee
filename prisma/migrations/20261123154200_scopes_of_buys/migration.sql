-- runs with: 20261123120400_journal_checkpoints
-- outside a transaction
create index concurrently if not exists "media_buy_organization_id_client_id_created_at_id_idx" ON "media_buy"("organization_id", "client_id", "created_at" DESC, "id");
create index concurrently if not exists "media_buy_organization_id_brand_domain_created_at_id_idx" ON "media_buy"("organization_id", "brand_domain", "created_at" DESC, "id");
create index concurrently if not exists "media_buy_organization_id_campaign_id_created_at_id_idx" ON "media_buy"("organization_id", "campaign_id", "created_at" DESC, "id");
create index concurrently if not exists "operation_organization_id_principal_id_created_at_id_idx" ON "operation"("organization_id", "principal_id", "created_at" DESC, "id");
create index concurrently if not exists "operation_organization_id_client_id_created_at_id_idx" ON "operation"("organization_id", "client_id", "created_at" DESC, "id");
create index concurrently if not exists "operation_organization_id_brand_domain_created_at_id_idx" ON "operation"("organization_id", "brand_domain", "created_at" DESC, "id");
create index concurrently if not exists "operation_organization_id_media_buy_id_idx" ON "operation"("organization_id", "media_buy_id");
