-- runs with: 20261130050100_switched_off_by_scim
-- CreateTable
CREATE TABLE "campaign_note" (
    "organization_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "campaign_id" UUID NOT NULL,
    "text" TEXT NOT NULL,
    "written_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "changed_at" TIMESTAMPTZ(3),

    CONSTRAINT "campaign_note_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateIndex
CREATE INDEX "campaign_note_organization_id_created_at_id_idx" ON "campaign_note"("organization_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "campaign_note_organization_id_campaign_id_created_at_id_idx" ON "campaign_note"("organization_id", "campaign_id", "created_at", "id");

select stand_under_tenancy('campaign_note');
