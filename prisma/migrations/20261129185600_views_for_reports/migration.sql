-- runs with: 20261129180712_shared_documents
-- The schema of reports (docs/guides/reports.md): views that an organization's own tools read with a role of their own.
-- Each view shows the organization of `bi.reader_organization()` and nothing else. That function reads who has logged in,
-- which no statement of a reader can change; a setting of the session would be theirs to change.
create schema bi;

create table bi.reader (
  role_name name primary key,
  organization_id uuid not null,
  created_at timestamptz(3) not null default now()
);

-- The organization of whoever has logged in: a reader's own; of a role that may write the ledger, which is the server
-- itself, the tenant of its transaction; else none.
create function bi.reader_organization() returns uuid
language sql stable security definer set search_path = bi, pg_temp
as $$
  select case when has_table_privilege(session_user, 'public.ledger_posting', 'insert')
    then nullif(current_setting('switchyard.organization_id', true), '')::uuid
    else (select r.organization_id from bi.reader r where r.role_name = session_user)
  end
$$;

create view bi.buys with (security_barrier) as
  select b.id as media_buy_id, b.client_id, b.campaign_id, b.brand_domain, b.buyer_ref, b.currency, b.status,
    b.start_time, b.end_time, b.created_at, b.updated_at
  from public.media_buy b where b.organization_id = (select bi.reader_organization());

create view bi.sellers with (security_barrier) as
  select c.slug as seller, c.name, c.protocol, c.form, c.state, c.is_sandbox, c.created_at, c.updated_at
  from public.connection c where c.organization_id = (select bi.reader_organization());

create view bi.spend_daily with (security_barrier) as
  select p.day, p.media_buy_id, b.client_id, b.campaign_id, b.brand_domain, p.seller, p.currency,
    sum(p.amount_micros)::bigint as spend_micros, sum(p.amount_micros) / 1000000.0 as spend
  from public.ledger_posting p
  left join public.media_buy b on b.id = p.media_buy_id and b.organization_id = p.organization_id
  where p.organization_id = (select bi.reader_organization()) and p.account = 'media_spend'
  group by 1, 2, 3, 4, 5, 6, 7;

create view bi.spend_booked with (security_barrier) as
  select to_char(k.sealed_at at time zone 'UTC', 'YYYY-MM-DD') as booked_on, p.day, p.media_buy_id, p.seller, p.currency,
    sum(p.amount_micros)::bigint as spend_micros, sum(p.amount_micros) / 1000000.0 as spend
  from public.journal_block k
  join public.ledger_entry e
    on e.organization_id = k.organization_id and e.stream = k.stream and e.block_number = k.number
  join public.ledger_posting p on p.entry_id = e.id and p.organization_id = e.organization_id
  where k.organization_id = (select bi.reader_organization()) and p.account = 'media_spend'
  group by 1, 2, 3, 4, 5;

create view bi.breaks with (security_barrier) as
  select d.id as break_id, d.period, d.kind, d.seller, d.media_buy_id, d.package_ref, d.client_id, d.campaign_id,
    d.brand_domain, d.currency, d.ordered_micros, d.reported_micros, d.invoiced_micros, d.difference_micros, d.cause,
    d.state, d.found_at, d.seen_at, d.resolution, d.resolved_at
  from public.reconciliation_break d where d.organization_id = (select bi.reader_organization());

create view bi.invoices with (security_barrier) as
  select i.id as invoice_id, i.seller, i.number, i.kind, i.period, i.issued_on, i.due_on, i.currency, i.total_micros,
    i.paid_micros, i.settled_on, i.imported_at, i.held_at, i.approved_at, i.voided_at
  from public.invoice i where i.organization_id = (select bi.reader_organization());

create view bi.periods with (security_barrier) as
  select a.period, a.state, a.closed_at, a.updated_at
  from public.accounting_period a where a.organization_id = (select bi.reader_organization());

create view bi.approvals with (security_barrier) as
  select q.id as approval_id, q.task, q.media_buy_id, q.client_id, q.campaign_id, q.brand_domain, q.amount_micros,
    q.currency, q.state, q.requested_at, q.expires_at, q.decided_at
  from public.internal_approval q where q.organization_id = (select bi.reader_organization());

-- To everybody: who is no reader sees no row. So a copy of the database needs none of its roles.
grant usage on schema bi to public;
grant select on bi.buys, bi.sellers, bi.spend_daily, bi.spend_booked, bi.breaks, bi.invoices, bi.periods, bi.approvals
  to public;
