-- runs with: 20261124065500_relay_admits_in_fewer_statements
-- What was booked of each package by month and day. A version that does not know it books without it, and leaves
-- `summed_through` behind; this version adds what is missing before it reads the sums. What is booked already is added in
-- the same way, in parts, and not here.
alter table "journal_head" add column "summed_through" BIGINT NOT NULL DEFAULT 0;

CREATE TABLE "package_spend" (
    "organization_id" UUID NOT NULL,
    "seller_buy_id" UUID NOT NULL,
    "package_ref" TEXT NOT NULL,
    "month" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "media_buy_id" TEXT NOT NULL,
    "seller" TEXT NOT NULL,
    "amount_micros" BIGINT NOT NULL,
    "days" BIGINT[],

    CONSTRAINT "package_spend_pkey" PRIMARY KEY ("seller_buy_id","package_ref","month","currency")
);

CREATE INDEX "package_spend_organization_id_media_buy_id_idx" ON "package_spend"("organization_id", "media_buy_id");
CREATE INDEX "package_spend_organization_id_month_idx" ON "package_spend"("organization_id", "month");

-- These rows are written again with each report, and no column of an index changes: with room on the page no index is
-- written either.
alter table "package_spend" set (fillfactor = 60);
alter table "counted_spend" set (fillfactor = 60);

select stand_under_tenancy('package_spend');
