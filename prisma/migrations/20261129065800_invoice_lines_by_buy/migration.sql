-- runs with: 20261129065736_commitments_follow_the_money
-- outside a transaction
create index concurrently if not exists "invoice_line_organization_id_seller_media_buy_id_idx" on invoice_line (organization_id, seller_media_buy_id);
