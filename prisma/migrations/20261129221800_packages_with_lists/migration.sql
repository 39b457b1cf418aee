-- outside a transaction
create index concurrently if not exists buy_package_lists on buy_package
  using gin (jsonb_path_query_array(targeting, '$.**.list_id') jsonb_path_ops) where targeting is not null;
