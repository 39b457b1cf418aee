-- outside a transaction
-- runs with: 20261206200000_contacts_of_sellers
create index concurrently if not exists "bank_entry_organization_id_order_id_idx" on "bank_entry"("organization_id", "order_id");
