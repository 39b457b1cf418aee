-- DropIndex
DROP INDEX "principal_account_organization_id_principal_id_brand_domain_key";

-- AlterTable
ALTER TABLE "principal_account" ADD COLUMN     "closed_at" TIMESTAMPTZ(3),
ADD COLUMN     "is_sandbox" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "off_protocol_billing" (
    "organization_id" UUID NOT NULL,
    "connection_id" UUID NOT NULL,
    "brand_domain" TEXT NOT NULL,
    "brand_id" TEXT NOT NULL DEFAULT '',
    "operator" TEXT NOT NULL,
    "found_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "off_protocol_billing_pkey" PRIMARY KEY ("organization_id","connection_id","brand_domain","brand_id","operator")
);

-- CreateIndex
CREATE INDEX "principal_account_organization_id_principal_id_idx" ON "principal_account"("organization_id", "principal_id");

-- One open account per pair; closed ones stand beside it.
create unique index principal_account_one_open on principal_account (organization_id, principal_id, brand_domain, brand_id, operator)
  where closed_at is null;

select stand_under_tenancy('off_protocol_billing');
