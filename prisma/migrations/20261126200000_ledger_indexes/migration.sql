-- runs with: 20261124182001_stops_end_streams
-- outside a transaction
-- What was unique with columns that a partition is not found by. Versions are numbered, and blocks are filled, under the
-- lock of the ledger's head, and blocks themselves are unique in journal_block.
create index concurrently if not exists "report_version_seller_buy_id_period_end_period_start_packag_idx" on "report_version"("seller_buy_id", "period_end", "period_start", "package_ref", "granularity", "measurement_window", "version");
create index concurrently if not exists "ledger_entry_organization_id_stream_block_number_position_idx" on "ledger_entry"("organization_id", "stream", "block_number", "position");
