-- outside a transaction
create index concurrently if not exists buy_package_standards on buy_package
  using gin (jsonb_path_query_array(targeting, '$.**.standards_id') jsonb_path_ops)
  where jsonb_path_exists(targeting, '$.**.standards_id');
