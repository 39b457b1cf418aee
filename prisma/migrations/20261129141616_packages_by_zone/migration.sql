-- outside a transaction
-- runs with: 20261129141615_calendar_of_figures
create index concurrently if not exists "buy_package_organization_id_reporting_zone_idx" on "buy_package"("organization_id", "reporting_zone");
