-- CreateTable
CREATE TABLE "offered_proposal" (
    "connection_id" UUID NOT NULL,
    "proposal_id" TEXT NOT NULL,
    "organization_id" UUID NOT NULL,
    "seller" TEXT NOT NULL,
    "proposal" JSONB NOT NULL,
    "proposed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "offered_proposal_pkey" PRIMARY KEY ("connection_id","proposal_id")
);

-- CreateIndex
CREATE INDEX "offered_proposal_organization_id_seller_idx" ON "offered_proposal"("organization_id", "seller");

select stand_under_tenancy('offered_proposal');
