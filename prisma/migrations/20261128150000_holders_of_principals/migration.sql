-- runs with: 20261126230000_ledger_archive
-- What another person must decide is not decided by whoever holds a credential of the requester.
alter table "principal" add column "held_by" uuid[] not null default '{}';
alter table "internal_approval" add column "holders_of_both" text[] not null default '{}';
