-- runs with: 20261126230000_ledger_archive
-- Finds the address that a principal was invited by.
create index "invitation_organization_id_principal_id_idx" on "invitation" ("organization_id", "principal_id");
