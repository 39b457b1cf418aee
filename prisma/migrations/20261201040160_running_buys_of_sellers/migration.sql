-- outside a transaction
-- runs with: 20261201040150_looks_at_sellers
create index concurrently if not exists seller_buy_running on seller_buy (organization_id, connection_id)
  where status not in ('completed', 'rejected', 'canceled');
