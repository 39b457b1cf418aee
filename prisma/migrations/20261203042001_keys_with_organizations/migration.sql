-- runs with: 20261202030400_told_of_closed_organizations
-- outside a transaction
create unique index concurrently if not exists "campaign_organization_id_id_key" on "campaign"("organization_id", "id");
create unique index concurrently if not exists "invoice_organization_id_id_key" on "invoice"("organization_id", "id");
create unique index concurrently if not exists "client_organization_id_id_key" on "client"("organization_id", "id");
create unique index concurrently if not exists "principal_organization_id_id_key" on "principal"("organization_id", "id");
