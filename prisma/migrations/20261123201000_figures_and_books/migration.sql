-- runs with: 20261123120400_journal_checkpoints
-- AlterTable
ALTER TABLE "invoice" ADD COLUMN     "due_on" TEXT,
ADD COLUMN     "paid_micros" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "settled_on" TEXT;

-- AlterTable
ALTER TABLE "organization" ADD COLUMN     "closes_unreconciled" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "reconciliation_break" ADD COLUMN     "tolerance" JSONB;

-- CreateTable
CREATE TABLE "tolerance" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "seller" TEXT NOT NULL DEFAULT '',
    "client" TEXT NOT NULL DEFAULT '',
    "absolute_micros" BIGINT NOT NULL,
    "percent_hundredths" INTEGER NOT NULL,
    "set_by" UUID NOT NULL,
    "set_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "tolerance_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "payment_term" (
    "organization_id" UUID NOT NULL,
    "seller" TEXT NOT NULL,
    "days" INTEGER NOT NULL,
    "set_by" UUID NOT NULL,
    "set_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "payment_term_pkey" PRIMARY KEY ("organization_id","seller")
);

-- CreateTable
CREATE TABLE "invoice_payment" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "invoice_id" UUID NOT NULL,
    "paid_on" TEXT NOT NULL,
    "amount_micros" BIGINT NOT NULL,
    "reporting_currency" TEXT,
    "reporting_micros" BIGINT,
    "difference_micros" BIGINT,
    "reference" TEXT,
    "paid_by" UUID NOT NULL,
    "recorded_at" TIMESTAMPTZ(3) NOT NULL,
    "entry_id" UUID NOT NULL,
    "difference_entry_id" UUID,

    CONSTRAINT "invoice_payment_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "book_code" (
    "organization_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "code" TEXT NOT NULL,
    "name" TEXT NOT NULL DEFAULT '',
    "set_by" UUID NOT NULL,
    "set_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "book_code_pkey" PRIMARY KEY ("organization_id","key")
);

-- CreateTable
CREATE TABLE "journal_batch" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "period" TEXT NOT NULL,
    "format" TEXT NOT NULL,
    "entry_total" INTEGER NOT NULL,
    "line_total" INTEGER NOT NULL,
    "file" BYTEA NOT NULL,
    "file_hash" TEXT NOT NULL,
    "exported_by" UUID NOT NULL,
    "exported_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "journal_batch_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "journal_batch_entry" (
    "organization_id" UUID NOT NULL,
    "entry_id" UUID NOT NULL,
    "period" TEXT NOT NULL,
    "batch_id" UUID NOT NULL,

    CONSTRAINT "journal_batch_entry_pkey" PRIMARY KEY ("entry_id","period")
);

-- CreateTable
CREATE TABLE "reconciliation_run" (
    "organization_id" UUID NOT NULL,
    "period" TEXT NOT NULL,
    "block_number" BIGINT NOT NULL,
    "matched" INTEGER NOT NULL,
    "found" INTEGER NOT NULL,
    "ran_by" UUID NOT NULL,
    "ran_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "reconciliation_run_pkey" PRIMARY KEY ("organization_id","period")
);

-- CreateIndex
CREATE INDEX "tolerance_organization_id_set_at_id_idx" ON "tolerance"("organization_id", "set_at" DESC, "id");

-- CreateIndex
CREATE UNIQUE INDEX "tolerance_organization_id_seller_client_key" ON "tolerance"("organization_id", "seller", "client");

-- CreateIndex
CREATE INDEX "invoice_payment_organization_id_invoice_id_recorded_at_idx" ON "invoice_payment"("organization_id", "invoice_id", "recorded_at");

-- CreateIndex
CREATE UNIQUE INDEX "invoice_payment_organization_id_invoice_id_reference_key" ON "invoice_payment"("organization_id", "invoice_id", "reference");

-- CreateIndex
CREATE INDEX "journal_batch_organization_id_period_number_idx" ON "journal_batch"("organization_id", "period", "number");

-- CreateIndex
CREATE UNIQUE INDEX "journal_batch_organization_id_number_key" ON "journal_batch"("organization_id", "number");

-- CreateIndex
CREATE INDEX "journal_batch_entry_organization_id_batch_id_idx" ON "journal_batch_entry"("organization_id", "batch_id");

select stand_under_tenancy('tolerance');
select stand_under_tenancy('payment_term');
select stand_under_tenancy('invoice_payment');
select stand_under_tenancy('book_code');
select stand_under_tenancy('journal_batch');
select stand_under_tenancy('journal_batch_entry');
select stand_under_tenancy('reconciliation_run');
