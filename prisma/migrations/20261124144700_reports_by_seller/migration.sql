-- runs with: 20261124065500_relay_admits_in_fewer_statements
-- outside a transaction
create index concurrently if not exists "report_version_connection_id_period_end_idx" on "report_version"("connection_id", "period_end");
