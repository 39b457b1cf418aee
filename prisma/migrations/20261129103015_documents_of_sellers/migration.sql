-- Documents of sellers bill days, have net and tax, lines of a type, and a life: held, approved, voided. Their numbers are
-- compared by letters and digits alone.
-- All processes must be stopped: an older one would book a document a second time, because it does not fold its number.

drop index invoice_organization_id_connection_id_number_key;

alter table invoice
  add column kind text not null default 'invoice',
  add column service_from text,
  add column service_to text,
  add column net_micros bigint,
  add column tax_micros bigint,
  add column refers_to text,
  add column folded text,
  add column held_at timestamptz(3),
  add column held_by uuid,
  add column hold_reason text,
  add column approved_at timestamptz(3),
  add column approved_by uuid,
  add column voided_at timestamptz(3),
  add column voided_by uuid,
  add column void_reason text,
  add column void_entry_id uuid;

alter table invoice_line
  add column type text,
  add column service_from text,
  add column service_to text;

-- Numbers that are the same without punctuation stay apart: the later ones keep their number as it is written.
alter table invoice no force row level security;
with folds as (
  select id, number, lower(regexp_replace(normalize(number, NFKC), '[^[:alnum:]]', '', 'g')) as fold,
    row_number() over (
      partition by organization_id, connection_id, lower(regexp_replace(normalize(number, NFKC), '[^[:alnum:]]', '', 'g'))
      order by imported_at, id) as place
  from invoice)
update invoice i set folded = case when f.place = 1 and f.fold <> '' then f.fold else '=' || f.number end
from folds f where f.id = i.id;
alter table invoice force row level security;

create unique index invoice_organization_id_connection_id_folded_key on invoice (organization_id, connection_id, folded);

create table credit_application (
  organization_id uuid not null,
  id uuid not null,
  credit_id uuid not null,
  invoice_id uuid not null,
  amount_micros bigint not null,
  applied_by uuid not null,
  applied_at timestamptz(3) not null,
  constraint credit_application_pkey primary key (organization_id, id)
);
create index credit_application_organization_id_credit_id_idx on credit_application (organization_id, credit_id);
create index credit_application_organization_id_invoice_id_idx on credit_application (organization_id, invoice_id);
select stand_under_tenancy('credit_application');
