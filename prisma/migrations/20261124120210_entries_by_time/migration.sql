-- runs with: 20261124065500_relay_admits_in_fewer_statements
-- outside a transaction
create index concurrently if not exists "ledger_entry_organization_id_occurred_at_idx" on "ledger_entry"("organization_id", "occurred_at");
