-- runs with: 20261129185800_plans
-- AlterTable
ALTER TABLE "credential" ADD COLUMN     "client_id" UUID;

-- AlterTable
ALTER TABLE "leg" ADD COLUMN     "login" JSONB;

-- AlterTable
ALTER TABLE "seller_buy" ADD COLUMN     "login" JSONB;

-- CreateTable
CREATE TABLE "client_login" (
    "organization_id" UUID NOT NULL,
    "connection_id" UUID NOT NULL,
    "client_id" UUID NOT NULL,
    "credential_id" UUID NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "set_by" UUID NOT NULL,

    CONSTRAINT "client_login_pkey" PRIMARY KEY ("organization_id","connection_id","client_id")
);

-- CreateIndex
CREATE INDEX "client_login_organization_id_client_id_idx" ON "client_login"("organization_id", "client_id");

-- CreateTable
CREATE TABLE "account_declaration" (
    "organization_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "connection_id" UUID NOT NULL,
    "client_id" UUID,
    "state" TEXT NOT NULL,
    "account" JSONB NOT NULL,
    "preview" JSONB NOT NULL,
    "outcome" JSONB,
    "made_by" UUID NOT NULL,
    "made_at" TIMESTAMPTZ(3) NOT NULL,
    "decided_by" UUID,
    "decided_at" TIMESTAMPTZ(3),

    CONSTRAINT "account_declaration_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateIndex
CREATE INDEX "account_declaration_organization_id_made_at_id_idx" ON "account_declaration"("organization_id", "made_at", "id");

select stand_under_tenancy('client_login');
select stand_under_tenancy('account_declaration');
