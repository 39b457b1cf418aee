-- runs with: 20261123120400_journal_checkpoints
-- outside a transaction
create index concurrently if not exists "organization_created_at_id_idx" on "organization"("created_at", "id");
