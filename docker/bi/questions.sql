-- Questions for Metabase on the views of schema bi (docs/guides/reports.md). Each statement is one native question, named by the
-- line above it. {{from}} and {{to}} are variables of the type date.

-- Spend by day and seller
select day::date as day, seller, currency, sum(spend) as spend
from bi.spend_daily where day between {{from}}::text and {{to}}::text group by 1, 2, 3 order by 1;

-- Spend by client and month
select substr(day, 1, 7) as month, client_id, currency, sum(spend) as spend from bi.spend_daily group by 1, 2, 3 order by 1;

-- Spend as it was known at the end of a day
select seller, currency, sum(spend) as spend from bi.spend_booked where booked_on <= {{to}}::text group by 1, 2 order by 1;

-- Open differences by cause
select cause, currency, count(*) as differences, sum(abs(difference_micros)) / 1000000.0 as amount
from bi.breaks where state = 'open' group by 1, 2 order by 4 desc;

-- Invoices that are due
select seller, number, due_on, currency, (total_micros - coalesce(paid_micros, 0)) / 1000000.0 as open
from bi.invoices where voided_at is null and total_micros > coalesce(paid_micros, 0) order by due_on;

-- Approvals that wait
select task, amount_micros / 1000000.0 as amount, currency, requested_at, expires_at
from bi.approvals where state = 'open' order by requested_at;

-- Buys by state
select status, currency, count(*) as buys from bi.buys group by 1, 2 order by 1;
