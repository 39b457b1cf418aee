-- runs with: 20261126230000_ledger_archive
alter table "person_password" add column "failed_sources" jsonb not null default '{}';
