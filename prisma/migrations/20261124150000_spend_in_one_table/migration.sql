-- No version before this one runs with it: they write `counted_spend`. Stop all processes first.
-- What a package spent over all time is the sum of its months in `package_spend`.

-- Builds the rows of one organization again from the texts of its entries. It waits for who is booking, and who books
-- later waits for it. The owner of the tables calls it, here and for a repair (docs/ledger.md#spend-by-package-and-month).
create function build_package_spend(of_organization uuid)
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
        case when e.facts -> 'closed_periods' ? left(x.day, 7) then coalesce(e.facts ->> 'booked_on', (
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
        from jsonb_array_elements(e.facts -> 'versions') v(one) where (v.one ->> 'counts')::boolean
        union all
        select r.package_ref, to_char(r.period_start at time zone 'UTC', 'YYYY-MM-DD'), r.spend_micros * moved.sign
        from (
          select id, 1 as sign from jsonb_array_elements_text(e.facts -> 'counts_again') again(id)
          union all
          select id, -1 from jsonb_array_elements_text(e.facts -> 'no_longer_counts') ended(id)
        ) moved cross join lateral (select * from report_version v where v.id = moved.id::uuid offset 0) r
      ) x
      group by 1, 2, 3, 4, 5, 6) d
    group by 1, 2, 3, 4, 5, 6) m;
end
$$;
revoke execute on function build_package_spend(uuid) from public;

do $$
declare
  each_organization uuid;
begin
  perform set_config('row_security', 'on', true);
  for each_organization in select id from organization_ids() loop
    perform set_config('switchyard.organization_id', each_organization::text, true);
    if exists (select from journal_head h where h.organization_id = each_organization and h.stream = 'ledger'
               and h.summed_through <> h.number) then
      perform build_package_spend(each_organization);
    end if;
  end loop;
end
$$;

drop table counted_spend;
-- With the organization in front, what one buy spent is found by this index alone, whatever the planner knows.
alter table package_spend drop constraint package_spend_pkey,
  add constraint package_spend_pkey primary key (organization_id, seller_buy_id, package_ref, month, currency);
alter table journal_head drop column summed_through;
