-- runs with: 20261129090000_programs_with_limits
-- A budget that was lowered stays committed until a report says what was spent of it. Budgets that were lowered before
-- this migration stay released: no limit is tightened.
alter table "buy_package" add column "kept_micros" bigint,
add column "kept_since" timestamptz(3);
