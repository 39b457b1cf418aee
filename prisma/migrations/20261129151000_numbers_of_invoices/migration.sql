-- outside a transaction
-- runs with: 20261129150100_payments_to_sellers
create index concurrently if not exists invoice_number_start on invoice (organization_id, lower(number) text_pattern_ops);
