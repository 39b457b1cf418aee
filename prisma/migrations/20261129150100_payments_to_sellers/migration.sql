-- Payments to sellers: bank accounts, proposals, transfers, and what bank statements say of them.
-- All processes must be stopped: an older one does not know the accounts of the ledger that payments use.

-- AlterTable
ALTER TABLE "invoice_payment" ADD COLUMN     "void_entry_id" UUID,
ADD COLUMN     "voided_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "payment_term" ADD COLUMN     "discount_days" INTEGER,
ADD COLUMN     "discount_hundredths" INTEGER;

-- CreateTable
CREATE TABLE "bank_account" (
    "organization_id" UUID NOT NULL,
    "seller" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "iban" TEXT NOT NULL,
    "bic" TEXT,
    "set_by" UUID NOT NULL,
    "set_at" TIMESTAMPTZ(3) NOT NULL,
    "usable_from" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "bank_account_pkey" PRIMARY KEY ("organization_id","seller","currency")
);

-- CreateTable
CREATE TABLE "payment_run" (
    "organization_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "due_until" TEXT NOT NULL,
    "pay_on" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "held" JSONB NOT NULL,
    "proposed_by" UUID NOT NULL,
    "proposed_at" TIMESTAMPTZ(3) NOT NULL,
    "approved_by" UUID,
    "approved_at" TIMESTAMPTZ(3),
    "exported_at" TIMESTAMPTZ(3),
    "format" TEXT,
    "file" TEXT,

    CONSTRAINT "payment_run_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "payment_order" (
    "organization_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "seller" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "amount_micros" BIGINT NOT NULL,
    "state" TEXT NOT NULL,
    "booked_on" TEXT,
    "transit_entry_id" UUID,
    "void_reason" TEXT,

    CONSTRAINT "payment_order_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "payment_order_item" (
    "organization_id" UUID NOT NULL,
    "order_id" UUID NOT NULL,
    "invoice_id" UUID NOT NULL,
    "amount_micros" BIGINT NOT NULL,
    "discount_micros" BIGINT NOT NULL DEFAULT 0,
    "credits" JSONB NOT NULL,
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "payment_id" UUID,
    "discount_entry_id" UUID,

    CONSTRAINT "payment_order_item_pkey" PRIMARY KEY ("organization_id","order_id","invoice_id")
);

-- CreateTable
CREATE TABLE "bank_entry" (
    "organization_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "booked_on" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "amount_micros" BIGINT NOT NULL,
    "text" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "order_id" UUID,
    "payment_id" UUID,
    "imported_by" UUID NOT NULL,
    "imported_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "bank_entry_pkey" PRIMARY KEY ("organization_id","key")
);

-- CreateIndex
CREATE INDEX "payment_run_organization_id_proposed_at_id_idx" ON "payment_run"("organization_id", "proposed_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "payment_run_organization_id_number_key" ON "payment_run"("organization_id", "number");

-- CreateIndex
CREATE INDEX "payment_order_organization_id_run_id_idx" ON "payment_order"("organization_id", "run_id");

-- CreateIndex
CREATE INDEX "payment_order_item_organization_id_invoice_id_idx" ON "payment_order_item"("organization_id", "invoice_id");

select stand_under_tenancy('bank_account');
select stand_under_tenancy('payment_run');
select stand_under_tenancy('payment_order');
select stand_under_tenancy('payment_order_item');
select stand_under_tenancy('bank_entry');
