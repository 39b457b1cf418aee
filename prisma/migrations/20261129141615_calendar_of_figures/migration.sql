-- A figure stands on the local days of its own period: its zone and days are kept with the version, and what an entry moves
-- by package and day is in its text. Versions and entries from before, and those of UTC days, have neither.
-- All processes must be stopped: an older one would place figures on UTC days, and would read the texts so.

alter table report_version
  add column zone text,
  add column zone_basis text,
  add column first_day text,
  add column last_day text;
alter table buy_package add column reporting_zone text;

create table seller_calendar (
  organization_id uuid not null,
  seller text not null,
  declared_zone text,
  declared_at timestamptz(3),
  zone text,
  overrides boolean not null default false,
  long_periods text,
  billing_calendar text,
  issue_day integer,
  reason text,
  set_by uuid,
  set_at timestamptz(3),
  constraint seller_calendar_pkey primary key (organization_id, seller)
);
select stand_under_tenancy('seller_calendar');

create table split_figure (
  organization_id uuid not null,
  version_id uuid not null,
  seller_buy_id uuid not null,
  first_day text not null,
  last_day text not null,
  constraint split_figure_pkey primary key (organization_id, version_id)
);
create index split_figure_organization_id_last_day_idx on split_figure (organization_id, last_day);
select stand_under_tenancy('split_figure');

-- The same as before, and where an entry states its moves, those.
create or replace function build_package_spend_of_entries(of_organization uuid)
returns void
language plpgsql set search_path = public, pg_temp set row_security = on
as $$
begin
  perform set_config('switchyard.organization_id', of_organization::text, true);
  perform from journal_head where organization_id = of_organization and stream = 'ledger' for update;
  delete from package_spend where organization_id = of_organization;
  insert into package_spend (organization_id, seller_buy_id, package_ref, month, currency, media_buy_id, seller,
    amount_micros, days)
  select of_organization, m.seller_buy_id, m.package_ref, m.month, m.currency, m.media_buy_id, m.seller, m.amount,
    array(select (m.amounts ->> place::text)::bigint from generate_series(1, m.last) place)
  from (
    select d.seller_buy_id, d.package_ref, left(d.day, 7) as month, d.currency, d.media_buy_id, d.seller,
      sum(d.amount) as amount, jsonb_object_agg(right(d.day, 2)::int, d.amount) as amounts,
      max(right(d.day, 2)::int) as last
    from (
      select (e.facts #>> '{report,seller_buy_id}')::uuid as seller_buy_id, e.media_buy_id, e.seller, x.package_ref,
        case when not e.facts ? 'moves' and e.facts -> 'closed_periods' ? left(x.day, 7)
          then coalesce(e.facts ->> 'booked_on', (
            select min(o.day) from ledger_posting o where o.entry_id = e.id), x.day) else x.day end as day,
        e.facts #>> '{report,currency}' as currency, sum(x.amount_micros) as amount
      from (
        select l.id, l.media_buy_id, l.seller, l.body::jsonb -> 'facts' as facts from ledger_entry l
        where l.organization_id = of_organization and l.stream = 'ledger'
          and l.kind in ('delivery', 'restatement', 'observation') offset 0
      ) e
      cross join lateral (
        select v.one ->> 'package_ref' as package_ref, left(e.facts #>> '{report,period_start}', 10) as day,
          (v.one ->> 'spend_micros')::bigint as amount_micros
        from jsonb_array_elements(e.facts -> 'versions') v(one)
        where (v.one ->> 'counts')::boolean and not e.facts ? 'moves'
        union all
        select r.package_ref, to_char(r.period_start at time zone 'UTC', 'YYYY-MM-DD'), r.spend_micros * moved.sign
        from (
          select id, 1 as sign from jsonb_array_elements_text(e.facts -> 'counts_again') again(id)
          union all
          select id, -1 from jsonb_array_elements_text(e.facts -> 'no_longer_counts') ended(id)
        ) moved cross join lateral (
          select * from report_version v where v.id = moved.id::uuid and not e.facts ? 'moves' offset 0) r
        union all
        select s.one ->> 0, s.one ->> 1, (s.one ->> 2)::bigint
        from jsonb_array_elements(coalesce(e.facts -> 'moves', '[]'::jsonb)) s(one)
      ) x
      group by 1, 2, 3, 4, 5, 6) d
    group by 1, 2, 3, 4, 5, 6) m;
end
$$;
