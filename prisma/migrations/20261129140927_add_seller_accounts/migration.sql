-- runs with: 20261129103015_documents_of_sellers
-- AlterTable
ALTER TABLE "connection" ADD COLUMN     "has_accounts" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "seller_buy" ADD COLUMN     "account_id" TEXT;

-- CreateTable
CREATE TABLE "seller_account" (
    "organization_id" UUID NOT NULL,
    "connection_id" UUID NOT NULL,
    "account_id" TEXT NOT NULL,
    "name" TEXT,
    "status" TEXT NOT NULL,
    "brand_domain" TEXT,
    "brand_id" TEXT,
    "operator" TEXT,
    "billing" TEXT,
    "payment_terms" TEXT,
    "is_sandbox" BOOLEAN NOT NULL DEFAULT false,
    "setup" JSONB,
    "source" TEXT NOT NULL,
    "first_seen" TIMESTAMPTZ(3) NOT NULL,
    "last_seen" TIMESTAMPTZ(3) NOT NULL,
    "missing_since" TIMESTAMPTZ(3),

    CONSTRAINT "seller_account_pkey" PRIMARY KEY ("organization_id","connection_id","account_id")
);

-- CreateTable
CREATE TABLE "account_use" (
    "organization_id" UUID NOT NULL,
    "connection_id" UUID NOT NULL,
    "client_id" UUID NOT NULL,
    "account_id" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "set_by" UUID NOT NULL,
    "binding" BYTEA NOT NULL,

    CONSTRAINT "account_use_pkey" PRIMARY KEY ("organization_id","connection_id","client_id")
);

-- CreateIndex
CREATE INDEX "account_use_organization_id_connection_id_account_id_idx" ON "account_use"("organization_id", "connection_id", "account_id");

-- CreateIndex
CREATE INDEX "account_use_organization_id_client_id_idx" ON "account_use"("organization_id", "client_id");

select stand_under_tenancy('seller_account');
select stand_under_tenancy('account_use');
