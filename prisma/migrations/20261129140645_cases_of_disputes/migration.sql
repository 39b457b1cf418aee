-- Disputes are cases: a difference is `disputed` until its case ends.
-- All processes must be stopped: an older one would open a disputed difference again.

-- AlterTable
ALTER TABLE "reconciliation_break" ADD COLUMN     "dispute_id" UUID;

-- CreateTable
CREATE TABLE "dispute" (
    "organization_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "connection_id" UUID NOT NULL,
    "seller" TEXT NOT NULL,
    "invoice_id" UUID NOT NULL,
    "period" TEXT NOT NULL,
    "break_id" UUID,
    "hold_key" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "amount_micros" BIGINT NOT NULL,
    "lines" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "reason" TEXT NOT NULL,
    "due_on" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "outcome" TEXT,
    "credited_micros" BIGINT,
    "credit_id" UUID,
    "application_id" UUID,
    "closing_note" TEXT,
    "opened_by" UUID NOT NULL,
    "opened_at" TIMESTAMPTZ(3) NOT NULL,
    "closed_by" UUID,
    "closed_at" TIMESTAMPTZ(3),
    "entry_id" UUID NOT NULL,

    CONSTRAINT "dispute_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "dispute_answer" (
    "organization_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "dispute_id" UUID NOT NULL,
    "said_by" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "principal_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "dispute_answer_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateIndex
CREATE INDEX "dispute_organization_id_opened_at_id_idx" ON "dispute"("organization_id", "opened_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "dispute_organization_id_state_opened_at_id_idx" ON "dispute"("organization_id", "state", "opened_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "dispute_organization_id_seller_opened_at_id_idx" ON "dispute"("organization_id", "seller", "opened_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "dispute_organization_id_period_state_idx" ON "dispute"("organization_id", "period", "state");

-- CreateIndex
CREATE INDEX "dispute_organization_id_invoice_id_idx" ON "dispute"("organization_id", "invoice_id");

-- CreateIndex
CREATE INDEX "dispute_organization_id_credit_id_idx" ON "dispute"("organization_id", "credit_id");

-- CreateIndex
CREATE UNIQUE INDEX "dispute_organization_id_number_key" ON "dispute"("organization_id", "number");

-- CreateIndex
CREATE INDEX "dispute_answer_organization_id_dispute_id_at_idx" ON "dispute_answer"("organization_id", "dispute_id", "at");

select stand_under_tenancy('dispute');
select stand_under_tenancy('dispute_answer');
