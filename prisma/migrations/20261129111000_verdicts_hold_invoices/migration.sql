-- A verdict on a difference holds its amount back from payment.
-- runs with: 20261129103015_documents_of_sellers

create table invoice_hold (
  organization_id uuid not null,
  invoice_id uuid not null,
  fingerprint text not null,
  amount_micros bigint not null,
  held_at timestamptz(3) not null,
  constraint invoice_hold_pkey primary key (organization_id, invoice_id, fingerprint)
);
create index invoice_hold_organization_id_fingerprint_idx on invoice_hold (organization_id, fingerprint);
select stand_under_tenancy('invoice_hold');
