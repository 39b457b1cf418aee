-- runs with: 20261130050000_invoices_of_seller
alter table "scim_user" add column "switched_off_at" timestamptz(3);
