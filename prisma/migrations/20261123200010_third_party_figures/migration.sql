-- runs with: 20261123168000_invoices_and_periods
ALTER TABLE "reconciliation_break" ADD COLUMN "third_party_micros" BIGINT, ADD COLUMN "third_party_source" TEXT;

-- CreateTable
CREATE TABLE "figure_import" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "source" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "file_id" UUID NOT NULL,
    "mapping" JSONB NOT NULL,
    "lines" INTEGER NOT NULL,
    "imported_by" UUID NOT NULL,
    "imported_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "figure_import_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "third_party_figure" (
    "organization_id" UUID NOT NULL,
    "import_id" UUID NOT NULL,
    "row" INTEGER NOT NULL,
    "seller_buy_id" UUID NOT NULL,
    "package_ref" TEXT NOT NULL,
    "day" TEXT NOT NULL,
    "spend_micros" BIGINT NOT NULL,
    "impressions" BIGINT,

    CONSTRAINT "third_party_figure_pkey" PRIMARY KEY ("import_id","row")
);

-- CreateIndex
CREATE UNIQUE INDEX "figure_import_organization_id_source_version_key" ON "figure_import"("organization_id", "source", "version");

-- CreateIndex
CREATE INDEX "third_party_figure_organization_id_seller_buy_id_day_idx" ON "third_party_figure"("organization_id", "seller_buy_id", "day");

select stand_under_tenancy('figure_import');
select stand_under_tenancy('third_party_figure');
