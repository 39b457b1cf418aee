-- runs with: 20261126230000_ledger_archive
alter table "organization" add column "four_eyes_strict" boolean not null default false;
