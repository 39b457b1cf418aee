-- runs with: 20261129235000_ends_of_credentials_are_found
-- CreateTable
CREATE TABLE "assistant_act" (
    "organization_id" UUID NOT NULL,
    "act_id" UUID NOT NULL,
    "principal_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "route" TEXT NOT NULL,
    "arguments" TEXT NOT NULL,
    "person_id" UUID,
    "state" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,
    "decided_by" UUID,
    "decided_at" TIMESTAMPTZ(3),

    CONSTRAINT "assistant_act_pkey" PRIMARY KEY ("organization_id","act_id")
);

-- CreateIndex
CREATE INDEX "assistant_act_organization_id_ends_at_idx" ON "assistant_act"("organization_id", "ends_at");

-- CreateIndex
CREATE UNIQUE INDEX "assistant_act_organization_id_principal_id_key_key" ON "assistant_act"("organization_id", "principal_id", "key");

select stand_under_tenancy('assistant_act');
