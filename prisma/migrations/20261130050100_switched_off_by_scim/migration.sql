alter table "scim_user" add column "switched_off_at" timestamptz(3);
