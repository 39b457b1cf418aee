-- DropIndex
DROP INDEX "ledger_posting_organization_id_account_seller_currency_idx";

-- DropIndex
DROP INDEX "report_version_organization_id_seller_period_start_idx";

-- DropIndex
DROP INDEX "report_version_seller_buy_id_package_ref_period_start_perio_key";

-- CreateTable
CREATE TABLE "counted_spend" (
    "organization_id" UUID NOT NULL,
    "seller_buy_id" UUID NOT NULL,
    "package_ref" TEXT NOT NULL,
    "spend_micros" BIGINT NOT NULL,

    CONSTRAINT "counted_spend_pkey" PRIMARY KEY ("seller_buy_id","package_ref")
);

-- CreateIndex
CREATE UNIQUE INDEX "report_version_seller_buy_id_period_end_period_start_packag_key" ON "report_version"("seller_buy_id", "period_end", "period_start", "package_ref", "granularity", "measurement_window", "version");

select stand_under_tenancy('counted_spend');

insert into counted_spend (organization_id, seller_buy_id, package_ref, spend_micros)
select organization_id, seller_buy_id, package_ref, sum(spend_micros)
from report_version where is_current group by organization_id, seller_buy_id, package_ref;

-- Bodies of two to eight kilobytes are what most reports come to: compressing each of them costs more time than
-- everything else that is done with it.
alter table ledger_entry set (toast_tuple_target = 8160);
