-- runs with: 20261123120400_journal_checkpoints
-- outside a transaction
create index concurrently if not exists "invoice_organization_id_settled_on_id_idx" on "invoice"("organization_id", "settled_on", "id");
create index concurrently if not exists "ledger_posting_organization_id_day_idx" on "ledger_posting"("organization_id", "day");
