-- runs with: 20261128190000_plain_names
alter table "organization" add column "four_eyes_strict" boolean not null default false;
