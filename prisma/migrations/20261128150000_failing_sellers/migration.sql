-- runs with: 20261126230000_ledger_archive
-- outside a transaction
-- What keeps a seller from being used, for Home: an open breaker, a refused credential, a revoked one.
create index concurrently if not exists connection_health_not_closed on connection_health (organization_id, connection_id) where breaker <> 'closed';
create index concurrently if not exists credential_unusable on credential (organization_id, connection_id) where last_error_at is not null or retired_at is not null;
