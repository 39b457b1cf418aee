-- runs with: 20261123120400_journal_checkpoints
-- AlterTable
ALTER TABLE "media_buy" ADD COLUMN     "brand_domain" TEXT,
ADD COLUMN     "campaign_id" UUID,
ADD COLUMN     "client_id" UUID;

-- AlterTable
ALTER TABLE "operation" ADD COLUMN     "brand_domain" TEXT,
ADD COLUMN     "campaign_id" UUID,
ADD COLUMN     "client_id" UUID;

-- AlterTable
ALTER TABLE "organization" ADD COLUMN     "currency" TEXT NOT NULL DEFAULT 'USD',
ADD COLUMN     "domain_challenge" TEXT,
ADD COLUMN     "domain_proof" TEXT,
ADD COLUMN     "domain_proved_at" TIMESTAMPTZ(3),
ADD COLUMN     "reporting_currency" TEXT NOT NULL DEFAULT 'USD',
ADD COLUMN     "time_zone" TEXT NOT NULL DEFAULT 'UTC';

-- CreateTable
CREATE TABLE "client" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'active',
    "codes" JSONB NOT NULL DEFAULT '{}',
    "sellers" TEXT[],
    "limits_sellers" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "client_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "brand" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "client_id" UUID NOT NULL,
    "domain" TEXT NOT NULL,
    "brand_id" TEXT NOT NULL DEFAULT '',
    "name" TEXT NOT NULL,
    "names" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "brand_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "campaign" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "client_id" UUID NOT NULL,
    "brand_domain" TEXT NOT NULL,
    "brand_id" TEXT NOT NULL DEFAULT '',
    "name" TEXT NOT NULL,
    "reference" TEXT,
    "po_number" TEXT,
    "insertion_order" TEXT,
    "estimate" TEXT,
    "currency" TEXT NOT NULL,
    "budget_micros" BIGINT,
    "plan" JSONB NOT NULL DEFAULT '{}',
    "starts_on" TEXT NOT NULL,
    "ends_on" TEXT NOT NULL,
    "owner_id" UUID,
    "status" TEXT NOT NULL DEFAULT 'active',
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "campaign_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "campaign_rule" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "campaign_id" UUID NOT NULL,
    "brand_domain" TEXT,
    "reference_start" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "campaign_rule_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "buy_assignment" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "media_buy_id" TEXT NOT NULL,
    "campaign_id" UUID,
    "client_id" UUID,
    "source" TEXT NOT NULL,
    "reason" TEXT,
    "principal_id" UUID,
    "entry_id" UUID,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "buy_assignment_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "role" (
    "organization_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "permissions" JSONB NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "role_pkey" PRIMARY KEY ("organization_id","name")
);

-- CreateTable
CREATE TABLE "access_grant" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "principal_id" UUID NOT NULL,
    "role" TEXT NOT NULL,
    "scope_kind" TEXT NOT NULL,
    "scope_id" TEXT NOT NULL DEFAULT '',
    "granted_by" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "removed_at" TIMESTAMPTZ(3),

    CONSTRAINT "access_grant_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "client_organization_id_updated_at_id_idx" ON "client"("organization_id", "updated_at" DESC, "id");

-- CreateIndex
CREATE UNIQUE INDEX "client_organization_id_name_key" ON "client"("organization_id", "name");

-- CreateIndex
CREATE INDEX "brand_organization_id_client_id_idx" ON "brand"("organization_id", "client_id");

-- CreateIndex
CREATE UNIQUE INDEX "brand_organization_id_domain_brand_id_key" ON "brand"("organization_id", "domain", "brand_id");

-- CreateIndex
CREATE INDEX "campaign_organization_id_client_id_updated_at_id_idx" ON "campaign"("organization_id", "client_id", "updated_at" DESC, "id");

-- CreateIndex
CREATE INDEX "campaign_organization_id_brand_domain_idx" ON "campaign"("organization_id", "brand_domain");

-- CreateIndex
CREATE INDEX "campaign_organization_id_po_number_idx" ON "campaign"("organization_id", "po_number");

-- CreateIndex
CREATE INDEX "campaign_organization_id_reference_idx" ON "campaign"("organization_id", "reference");

-- CreateIndex
CREATE INDEX "campaign_organization_id_updated_at_id_idx" ON "campaign"("organization_id", "updated_at" DESC, "id");

-- CreateIndex
CREATE INDEX "campaign_rule_organization_id_campaign_id_idx" ON "campaign_rule"("organization_id", "campaign_id");

-- CreateIndex
CREATE INDEX "buy_assignment_organization_id_media_buy_id_at_idx" ON "buy_assignment"("organization_id", "media_buy_id", "at" DESC);

-- CreateIndex
CREATE INDEX "access_grant_organization_id_principal_id_idx" ON "access_grant"("organization_id", "principal_id");

-- CreateIndex
CREATE INDEX "access_grant_organization_id_scope_kind_scope_id_idx" ON "access_grant"("organization_id", "scope_kind", "scope_id");

select stand_under_tenancy('client');
select stand_under_tenancy('brand');
select stand_under_tenancy('campaign');
select stand_under_tenancy('campaign_rule');
select stand_under_tenancy('buy_assignment');
select stand_under_tenancy('role');
select stand_under_tenancy('access_grant');

-- Buys that stand already: their brand is known, their client and campaign are not.
alter table media_buy no force row level security;
alter table operation no force row level security;
update media_buy set brand_domain = lower(brand ->> 'domain') where brand ->> 'domain' is not null;
update operation o set brand_domain = b.brand_domain from media_buy b where o.id = b.operation_id;
update operation o set brand_domain = b.brand_domain from media_buy b where o.media_buy_id = b.id;
alter table operation force row level security;
alter table media_buy force row level security;
