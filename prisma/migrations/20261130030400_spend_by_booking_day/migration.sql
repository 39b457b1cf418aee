-- runs with: 20261130030300_traces_of_later_work
-- CreateTable
CREATE TABLE "spend_booked_day" (
    "organization_id" UUID NOT NULL,
    "booked_on" TEXT NOT NULL,
    "day" TEXT NOT NULL,
    "media_buy_id" TEXT NOT NULL,
    "seller" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "amount_micros" BIGINT NOT NULL,

    CONSTRAINT "spend_booked_day_pkey" PRIMARY KEY ("organization_id","booked_on","day","media_buy_id","seller","currency")
);

-- CreateTable
CREATE TABLE "spend_summed" (
    "organization_id" UUID NOT NULL,
    "stream" TEXT NOT NULL,
    "number" BIGINT NOT NULL,

    CONSTRAINT "spend_summed_pkey" PRIMARY KEY ("organization_id","stream")
);

select stand_under_tenancy('spend_booked_day');
select stand_under_tenancy('spend_summed');

-- Days that are over come from their sums, what was booked since from the ledger.
create or replace view bi.spend_booked with (security_barrier) as
  select b.booked_on, b.day, b.media_buy_id, b.seller, b.currency,
    sum(b.amount_micros)::bigint as spend_micros, sum(b.amount_micros) / 1000000.0 as spend
  from (
    select d.booked_on, d.day, nullif(d.media_buy_id, '') as media_buy_id, d.seller, d.currency, d.amount_micros
    from public.spend_booked_day d where d.organization_id = (select bi.reader_organization())
    union all
    select to_char(k.sealed_at at time zone 'UTC', 'YYYY-MM-DD'), p.day, p.media_buy_id, p.seller, p.currency, p.amount_micros
    from public.journal_block k
    join public.ledger_entry e
      on e.organization_id = k.organization_id and e.stream = k.stream and e.block_number = k.number
    join public.ledger_posting p on p.entry_id = e.id and p.organization_id = e.organization_id
    where k.organization_id = (select bi.reader_organization()) and p.account = 'media_spend'
      and k.number > coalesce((
        select s.number from public.spend_summed s where s.organization_id = k.organization_id and s.stream = k.stream), -1)
  ) b
  group by 1, 2, 3, 4, 5;
