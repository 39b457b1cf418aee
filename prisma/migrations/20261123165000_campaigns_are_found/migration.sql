-- runs with: 20261123120400_journal_checkpoints
-- Requests name campaigns by their estimate as well, and find rules by brand and beginning.
create index "campaign_organization_id_estimate_idx" on "campaign"("organization_id", "estimate");
create unique index campaign_rule_once on campaign_rule
  (organization_id, (coalesce(brand_domain, '')), (coalesce(reference_start, '')));
-- Decisions that the ledger does not hold yet.
create index buy_assignment_unbooked on buy_assignment (organization_id, at, id) where entry_id is null;
