-- Clients are billed: legal entities, rules, invoices without gaps in their numbers, payments and accruals.
-- All processes must be stopped: an older one does not know the accounts of the ledger that this uses.

-- CreateTable
CREATE TABLE "legal_entity" (
    "organization_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "address" JSONB NOT NULL,
    "tax_id" TEXT NOT NULL,
    "series" TEXT NOT NULL,
    "next_number" BIGINT NOT NULL DEFAULT 1,
    "currency" TEXT NOT NULL,
    "iban" TEXT,
    "bic" TEXT,
    "set_by" UUID NOT NULL,
    "set_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "legal_entity_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "client_billing" (
    "organization_id" UUID NOT NULL,
    "client_id" UUID NOT NULL,
    "entity_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "address" JSONB NOT NULL,
    "tax_id" TEXT,
    "reference" TEXT,
    "email" TEXT,
    "term_days" INTEGER NOT NULL DEFAULT 30,
    "detail" TEXT NOT NULL DEFAULT 'open',
    "tax_hundredths" INTEGER NOT NULL,
    "tax_category" TEXT NOT NULL,
    "set_by" UUID NOT NULL,
    "set_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "client_billing_pkey" PRIMARY KEY ("organization_id","client_id")
);

-- CreateTable
CREATE TABLE "billing_rule" (
    "organization_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "client_id" UUID,
    "campaign_id" UUID,
    "seller" TEXT NOT NULL DEFAULT '',
    "kind" TEXT NOT NULL,
    "basis" TEXT NOT NULL DEFAULT 'delivered',
    "percent_hundredths" INTEGER,
    "amount_micros" BIGINT,
    "currency" TEXT,
    "cap_micros" BIGINT,
    "tax_hundredths" INTEGER,
    "tax_category" TEXT,
    "starts_on" TEXT NOT NULL,
    "ends_on" TEXT,
    "set_by" UUID NOT NULL,
    "set_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "billing_rule_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "client_invoice" (
    "organization_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "entity_id" UUID NOT NULL,
    "client_id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "number" TEXT,
    "period" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "net_micros" BIGINT NOT NULL,
    "tax_micros" BIGINT NOT NULL,
    "gross_micros" BIGINT NOT NULL,
    "paid_micros" BIGINT NOT NULL DEFAULT 0,
    "issued_on" TEXT,
    "due_on" TEXT,
    "settled_on" TEXT,
    "refers_to" UUID,
    "reason" TEXT,
    "checks" JSONB NOT NULL,
    "parties" JSONB,
    "issued_before" INTEGER NOT NULL,
    "made_by" UUID NOT NULL,
    "made_at" TIMESTAMPTZ(3) NOT NULL,
    "issued_by" UUID,
    "issued_at" TIMESTAMPTZ(3),
    "entry_id" UUID,
    "reminders" INTEGER NOT NULL DEFAULT 0,
    "reminded_on" TEXT,

    CONSTRAINT "client_invoice_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "client_invoice_line" (
    "organization_id" UUID NOT NULL,
    "invoice_id" UUID NOT NULL,
    "line" INTEGER NOT NULL,
    "key" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "campaign_id" UUID,
    "seller" TEXT,
    "rule_id" UUID,
    "description" TEXT NOT NULL,
    "net_micros" BIGINT NOT NULL,
    "tax_hundredths" INTEGER NOT NULL,
    "tax_category" TEXT NOT NULL,

    CONSTRAINT "client_invoice_line_pkey" PRIMARY KEY ("organization_id","invoice_id","line")
);

-- CreateTable
CREATE TABLE "client_payment" (
    "organization_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "invoice_id" UUID NOT NULL,
    "paid_on" TEXT NOT NULL,
    "amount_micros" BIGINT NOT NULL,
    "reference" TEXT NOT NULL,
    "entry_id" UUID NOT NULL,
    "recorded_by" UUID NOT NULL,
    "recorded_at" TIMESTAMPTZ(3) NOT NULL,
    "voided_at" TIMESTAMPTZ(3),
    "void_reason" TEXT,

    CONSTRAINT "client_payment_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "client_accrual" (
    "organization_id" UUID NOT NULL,
    "client_id" UUID NOT NULL,
    "period" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "amount_micros" BIGINT NOT NULL,

    CONSTRAINT "client_accrual_pkey" PRIMARY KEY ("organization_id","client_id","period","currency")
);

-- CreateIndex
CREATE UNIQUE INDEX "legal_entity_organization_id_name_key" ON "legal_entity"("organization_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "legal_entity_organization_id_series_key" ON "legal_entity"("organization_id", "series");

-- CreateIndex
CREATE INDEX "billing_rule_organization_id_client_id_starts_on_idx" ON "billing_rule"("organization_id", "client_id", "starts_on");

-- CreateIndex
CREATE INDEX "client_invoice_organization_id_client_id_period_idx" ON "client_invoice"("organization_id", "client_id", "period");

-- CreateIndex
CREATE INDEX "client_invoice_organization_id_made_at_id_idx" ON "client_invoice"("organization_id", "made_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "client_invoice_organization_id_due_on_idx" ON "client_invoice"("organization_id", "due_on");

-- CreateIndex
CREATE UNIQUE INDEX "client_invoice_organization_id_entity_id_number_key" ON "client_invoice"("organization_id", "entity_id", "number");

-- CreateIndex
CREATE INDEX "client_payment_organization_id_invoice_id_idx" ON "client_payment"("organization_id", "invoice_id");

-- CreateIndex
CREATE UNIQUE INDEX "client_payment_organization_id_reference_key" ON "client_payment"("organization_id", "reference");

select stand_under_tenancy('legal_entity');
select stand_under_tenancy('client_billing');
select stand_under_tenancy('billing_rule');
select stand_under_tenancy('client_invoice');
select stand_under_tenancy('client_invoice_line');
select stand_under_tenancy('client_payment');
select stand_under_tenancy('client_accrual');
