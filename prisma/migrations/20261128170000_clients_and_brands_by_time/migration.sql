-- runs with: 20261126230000_ledger_archive
-- outside a transaction
create index concurrently if not exists "client_organization_id_created_at_id_idx" on "client"("organization_id", "created_at", "id");
create index concurrently if not exists "brand_organization_id_created_at_id_idx" on "brand"("organization_id", "created_at", "id");
