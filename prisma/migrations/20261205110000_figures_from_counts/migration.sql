-- runs with: 20261205100000_nightly_checks
-- The end of a figure of several days, and from what the amount of a report was computed that counts and says none.
alter table "third_party_figure" add column "last_day" text, add column "basis" jsonb;
