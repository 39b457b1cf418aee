-- runs with: 20261123120400_journal_checkpoints
-- CreateTable
CREATE TABLE "invoice" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "connection_id" UUID NOT NULL,
    "seller" TEXT NOT NULL,
    "number" TEXT NOT NULL,
    "period" TEXT NOT NULL,
    "issued_on" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "total_micros" BIGINT NOT NULL,
    "file_name" TEXT NOT NULL,
    "original" BYTEA NOT NULL,
    "original_hash" TEXT NOT NULL,
    "imported_by" UUID NOT NULL,
    "imported_at" TIMESTAMPTZ(3) NOT NULL,
    "entry_id" UUID NOT NULL,

    CONSTRAINT "invoice_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "invoice_line" (
    "organization_id" UUID NOT NULL,
    "invoice_id" UUID NOT NULL,
    "line" INTEGER NOT NULL,
    "seller_media_buy_id" TEXT,
    "package_ref" TEXT,
    "po_number" TEXT,
    "description" TEXT,
    "units" BIGINT,
    "amount_micros" BIGINT NOT NULL,

    CONSTRAINT "invoice_line_pkey" PRIMARY KEY ("invoice_id","line")
);

-- CreateTable
CREATE TABLE "invoice_mapping" (
    "organization_id" UUID NOT NULL,
    "connection_id" UUID NOT NULL,
    "mapping" JSONB NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "invoice_mapping_pkey" PRIMARY KEY ("organization_id","connection_id")
);

-- CreateTable
CREATE TABLE "reconciliation_break" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "period" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "round" INTEGER NOT NULL DEFAULT 1,
    "kind" TEXT NOT NULL,
    "seller" TEXT NOT NULL,
    "media_buy_id" TEXT,
    "package_ref" TEXT,
    "client_id" UUID,
    "brand_domain" TEXT,
    "campaign_id" UUID,
    "currency" TEXT NOT NULL,
    "ordered_micros" BIGINT,
    "reported_micros" BIGINT,
    "polled_micros" BIGINT,
    "invoiced_micros" BIGINT,
    "difference_micros" BIGINT NOT NULL,
    "cause" TEXT NOT NULL,
    "evidence" TEXT[],
    "state" TEXT NOT NULL,
    "owner_id" UUID,
    "found_at" TIMESTAMPTZ(3) NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,
    "resolution" TEXT,
    "reason" TEXT,
    "resolved_by" UUID,
    "resolved_at" TIMESTAMPTZ(3),
    "entry_id" UUID,

    CONSTRAINT "reconciliation_break_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "break_comment" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "break_id" UUID NOT NULL,
    "principal_id" UUID NOT NULL,
    "text" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "break_comment_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "accounting_period" (
    "organization_id" UUID NOT NULL,
    "period" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "closed_by" UUID,
    "closed_at" TIMESTAMPTZ(3),
    "reopen_asked_by" UUID,
    "reopen_reason" TEXT,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "accounting_period_pkey" PRIMARY KEY ("organization_id","period")
);

-- CreateIndex
CREATE INDEX "invoice_organization_id_period_seller_idx" ON "invoice"("organization_id", "period", "seller");

-- CreateIndex
CREATE INDEX "invoice_organization_id_imported_at_id_idx" ON "invoice"("organization_id", "imported_at" DESC, "id");

-- CreateIndex
CREATE UNIQUE INDEX "invoice_organization_id_connection_id_number_key" ON "invoice"("organization_id", "connection_id", "number");

-- CreateIndex
CREATE INDEX "reconciliation_break_organization_id_state_found_at_id_idx" ON "reconciliation_break"("organization_id", "state", "found_at" DESC, "id");

-- CreateIndex
CREATE UNIQUE INDEX "reconciliation_break_organization_id_period_fingerprint_rou_key" ON "reconciliation_break"("organization_id", "period", "fingerprint", "round");

-- CreateIndex
CREATE INDEX "break_comment_organization_id_break_id_at_idx" ON "break_comment"("organization_id", "break_id", "at");
select stand_under_tenancy('invoice');
select stand_under_tenancy('invoice_line');
select stand_under_tenancy('invoice_mapping');
select stand_under_tenancy('reconciliation_break');
select stand_under_tenancy('break_comment');
select stand_under_tenancy('accounting_period');
