-- runs with: 20261130050100_switched_off_by_scim
create table "agreement" (
    "organization_id" uuid not null,
    "id" uuid not null,
    "seller" text not null,
    "media_buy_id" text,
    "insertion_order" text,
    "commission_hundredths" integer,
    "bills" text,
    "is_capped" boolean,
    "fee_hundredths" integer,
    "counted_by" text,
    "variance_hundredths" integer,
    "first_month" text not null,
    "last_month" text,
    "reason" text,
    "set_by" uuid not null,
    "set_at" timestamptz(3) not null,

    constraint "agreement_pkey" primary key ("organization_id", "id")
);
create index "agreement_organization_id_set_at_id_idx" on "agreement" ("organization_id", "set_at", "id");
create index "agreement_organization_id_seller_set_at_id_idx" on "agreement" ("organization_id", "seller", "set_at", "id");
select stand_under_tenancy('agreement');
