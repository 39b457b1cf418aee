-- runs with: 20261126230000_ledger_archive
-- outside a transaction
-- Buys that run at a time: by their own flight, and by that of a part whose seller reported another one.
create index concurrently if not exists "media_buy_organization_id_end_time_start_time_idx" on "media_buy"("organization_id", "end_time", "start_time");
create index concurrently if not exists seller_buy_own_flight on seller_buy (organization_id, media_buy_id) where said ? 'startTime' or said ? 'endTime';
-- Buys with an impairment, for Home.
create index concurrently if not exists impairment_unresolved on impairment (organization_id, media_buy_id) where resolved_at is null;
