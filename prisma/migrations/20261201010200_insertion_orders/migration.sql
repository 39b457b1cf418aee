-- runs with: 20261201010100_agreements
create table "insertion_order" (
    "organization_id" uuid not null,
    "id" uuid not null,
    "media_buy_id" text not null,
    "seller_buy_id" uuid not null,
    "seller" text not null,
    "serial" integer not null,
    "version" integer not null,
    "title" text not null,
    "document" jsonb not null,
    "digest" text not null,
    "changes" text[] not null,
    "made_by" uuid not null,
    "made_at" timestamptz(3) not null,

    constraint "insertion_order_pkey" primary key ("organization_id", "id")
);
create unique index "insertion_order_organization_id_serial_version_key" on "insertion_order" ("organization_id", "serial", "version");
create unique index "insertion_order_organization_id_seller_buy_id_version_key" on "insertion_order" ("organization_id", "seller_buy_id", "version");
create index "insertion_order_organization_id_made_at_id_idx" on "insertion_order" ("organization_id", "made_at", "id");
create index "insertion_order_organization_id_media_buy_id_made_at_id_idx" on "insertion_order" ("organization_id", "media_buy_id", "made_at", "id");
create index "insertion_order_organization_id_seller_made_at_id_idx" on "insertion_order" ("organization_id", "seller", "made_at", "id");
select stand_under_tenancy('insertion_order');
