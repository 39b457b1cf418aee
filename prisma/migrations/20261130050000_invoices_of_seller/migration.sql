-- runs with: 20261130040400_quotas
-- The list of invoices of one seller.
create index invoice_organization_id_seller_imported_at_id_idx on invoice (organization_id, seller, imported_at desc, id);
