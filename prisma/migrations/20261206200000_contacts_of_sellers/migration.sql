-- runs with: 20261205110000_figures_from_counts
-- CreateTable
CREATE TABLE "seller_contact" (
    "organization_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "connection_id" UUID NOT NULL,
    "purpose" TEXT NOT NULL,
    "name" TEXT,
    "email" TEXT,
    "phone" TEXT,
    "set_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "changed_at" TIMESTAMPTZ(3),

    CONSTRAINT "seller_contact_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateIndex
CREATE INDEX "seller_contact_organization_id_created_at_id_idx" ON "seller_contact"("organization_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "seller_contact_organization_id_connection_id_created_at_id_idx" ON "seller_contact"("organization_id", "connection_id", "created_at", "id");

select stand_under_tenancy('seller_contact');
