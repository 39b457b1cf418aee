-- runs with: 20261204110000_open_requests_of_a_principal
-- The newest checks of a live seller that ran by themselves at night.
create table "nightly_run" (
    "organization_id" uuid not null,
    "connection_id" uuid not null,
    "state" text not null,
    "checks" jsonb not null,
    "at" timestamptz(3) not null,
    "answered_at" timestamptz(3),

    constraint "nightly_run_pkey" primary key ("organization_id", "connection_id")
);
select stand_under_tenancy('nightly_run');
