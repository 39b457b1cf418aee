-- CreateTable
CREATE TABLE "buy_plan" (
    "organization_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "brand_domain" TEXT NOT NULL,
    "campaign_id" UUID,
    "shared" BOOLEAN NOT NULL,
    "content" JSONB NOT NULL,
    "totals" JSONB NOT NULL,
    "sellers" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "lines" INTEGER NOT NULL,
    "version" INTEGER NOT NULL,
    "refused_in" TEXT,
    "media_buy_id" TEXT,
    "made_by" UUID NOT NULL,
    "changed_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "buy_plan_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateIndex
CREATE INDEX "buy_plan_organization_id_created_at_id_idx" ON "buy_plan"("organization_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "buy_plan_organization_id_refused_in_idx" ON "buy_plan"("organization_id", "refused_in");

-- Parts that their sellers refused: few, and looked for by who must place them elsewhere.
create index seller_buy_refused on seller_buy (organization_id, media_buy_id)
  where status = 'rejected' and seller_media_buy_id is null;
select stand_under_tenancy('buy_plan');
