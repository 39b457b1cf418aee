-- runs with: 20261202030400_told_of_closed_organizations
-- The rest of an invoice can be written off, and a transaction of a bank that is no payment can be set aside.
alter table invoice_payment add column is_written_off boolean not null default false;
alter table bank_entry add column set_aside_by uuid;
alter table bank_entry add column set_aside_at timestamptz(3);
alter table bank_entry add column set_aside_reason text;
