-- runs with: 20261123168000_invoices_and_periods
-- outside a transaction
create index concurrently if not exists outbox_event_organization_id_created_at_id_idx
  on outbox_event (organization_id, created_at desc, id desc);
