-- runs with: 20261123168000_invoices_and_periods
ALTER TABLE "invoice" ALTER COLUMN "original" DROP NOT NULL, ADD COLUMN "file_id" UUID;

-- CreateTable
CREATE TABLE "finance_file" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "bytes" BIGINT NOT NULL,
    "sha256" TEXT NOT NULL,
    "kept" BOOLEAN NOT NULL DEFAULT false,
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "finance_file_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "finance_file_part" (
    "organization_id" UUID NOT NULL,
    "file_id" UUID NOT NULL,
    "part" INTEGER NOT NULL,
    "content" BYTEA NOT NULL,

    CONSTRAINT "finance_file_part_pkey" PRIMARY KEY ("file_id","part")
);

-- CreateTable
CREATE TABLE "invoice_attachment" (
    "organization_id" UUID NOT NULL,
    "invoice_id" UUID NOT NULL,
    "file_id" UUID NOT NULL,
    "attached_by" UUID NOT NULL,
    "attached_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "invoice_attachment_pkey" PRIMARY KEY ("invoice_id","file_id")
);

-- CreateIndex
CREATE INDEX "finance_file_organization_id_kept_created_at_idx" ON "finance_file"("organization_id", "kept", "created_at");

select stand_under_tenancy('finance_file');
select stand_under_tenancy('finance_file_part');
select stand_under_tenancy('invoice_attachment');
