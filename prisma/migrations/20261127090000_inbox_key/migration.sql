-- runs with: 20261126230000_ledger_archive
-- outside a transaction
-- The key of the messages once they are partitioned by the time of receipt.
create unique index concurrently if not exists "inbox_event_id_received_at" on "inbox_event"("id", "received_at");
