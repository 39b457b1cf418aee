-- CreateTable
CREATE TABLE "signal_activation" (
    "organization_id" UUID NOT NULL,
    "connection_id" UUID NOT NULL,
    "segment_id" TEXT NOT NULL,
    "target_key" TEXT NOT NULL,
    "target" JSONB NOT NULL,
    "state" TEXT NOT NULL,
    "activation_key" JSONB,
    "deployed_at" TEXT,
    "said_at" TIMESTAMPTZ(3),
    "ready_at" TIMESTAMPTZ(3),
    "seen_at" TIMESTAMPTZ(3) NOT NULL,
    "look_at" TIMESTAMPTZ(3),

    CONSTRAINT "signal_activation_pkey" PRIMARY KEY ("organization_id","connection_id","segment_id","target_key")
);

-- CreateIndex
CREATE INDEX "signal_activation_organization_id_look_at_idx" ON "signal_activation"("organization_id", "look_at");

select stand_under_tenancy('signal_activation');
