-- CreateTable
CREATE TABLE "delegation" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "principal_id" UUID NOT NULL,
    "seller" TEXT NOT NULL,
    "tasks" TEXT[],
    "granted_at" TIMESTAMPTZ(3) NOT NULL,
    "until_at" TIMESTAMPTZ(3) NOT NULL,
    "budget_micros" BIGINT,
    "currency" TEXT,
    "granted_by" UUID NOT NULL,
    "evidence" TEXT,
    "revoked_at" TIMESTAMPTZ(3),
    "revoked_by" UUID,
    "revoke_reason" TEXT,

    CONSTRAINT "delegation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "relay_request" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "principal_id" UUID NOT NULL,
    "seller" TEXT NOT NULL,
    "way" TEXT NOT NULL,
    "task" TEXT,
    "delegation_id" UUID,
    "operation_id" UUID,
    "keyid" TEXT,
    "nonce" TEXT,
    "body_hash" TEXT NOT NULL,
    "held_micros" BIGINT,
    "state" TEXT NOT NULL,
    "outcome" TEXT,
    "code" TEXT,
    "draft" JSONB,
    "arrived_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "relay_request_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "custody_entry" (
    "organization_id" UUID NOT NULL,
    "stream" TEXT NOT NULL,
    "block_number" BIGINT NOT NULL,
    "position" INTEGER NOT NULL,
    "record_id" UUID NOT NULL,
    "body" TEXT NOT NULL,
    "hash" TEXT NOT NULL,

    CONSTRAINT "custody_entry_pkey" PRIMARY KEY ("organization_id","stream","block_number","position")
);

-- CreateIndex
CREATE INDEX "delegation_organization_id_principal_id_seller_idx" ON "delegation"("organization_id", "principal_id", "seller");

-- CreateIndex
CREATE INDEX "relay_request_organization_id_principal_id_arrived_at_idx" ON "relay_request"("organization_id", "principal_id", "arrived_at");

-- CreateIndex
CREATE INDEX "relay_request_organization_id_delegation_id_idx" ON "relay_request"("organization_id", "delegation_id");

-- CreateIndex
CREATE INDEX "relay_request_organization_id_state_arrived_at_idx" ON "relay_request"("organization_id", "state", "arrived_at");

-- CreateIndex
CREATE UNIQUE INDEX "custody_entry_organization_id_record_id_key" ON "custody_entry"("organization_id", "record_id");

-- Tenant tables stand under the second lock. A record of custody is never changed and never removed.
select stand_under_tenancy('delegation');
select stand_under_tenancy('relay_request');
select stand_under_tenancy('custody_entry');

create trigger written_once before update or delete on custody_entry
  for each row execute function refuse_change();
