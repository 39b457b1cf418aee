-- runs with: 20261128190000_plain_names
-- outside a transaction
-- Buys that run at a time, in place of the index that compared the times as texts.
create index concurrently if not exists media_buy_by_flight on media_buy (organization_id, instant_of(end_time), instant_of(start_time));
drop index concurrently if exists "media_buy_organization_id_end_time_start_time_idx";
