-- runs with: 20261203042003_rows_name_rows_that_are_there
-- outside a transaction
create index concurrently if not exists control_request_open on control_request (organization_id, principal_id, kind, expires_at) where state = 'open';
