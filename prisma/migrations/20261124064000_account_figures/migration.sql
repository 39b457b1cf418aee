-- runs with: 20261123200010_third_party_figures
-- CreateTable
CREATE TABLE "account_figure" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "connection_id" UUID NOT NULL,
    "seller" TEXT NOT NULL,
    "account" JSONB NOT NULL,
    "period" TEXT NOT NULL,
    "covers_from" TEXT NOT NULL,
    "covers_to" TEXT NOT NULL,
    "timezone" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "total_spend_micros" BIGINT,
    "invoices" JSONB NOT NULL,
    "event_id" UUID NOT NULL,
    "answer_hash" TEXT NOT NULL,
    "pulled_by" UUID NOT NULL,
    "pulled_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "account_figure_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "account_figure_organization_id_period_seller_pulled_at_idx" ON "account_figure"("organization_id", "period", "seller", "pulled_at" DESC);

select stand_under_tenancy('account_figure');
