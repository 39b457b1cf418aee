-- runs with: 20261123210500_passwords
-- outside a transaction
create index concurrently if not exists "ledger_entry_organization_id_occurred_at_idx" on "ledger_entry"("organization_id", "occurred_at");
