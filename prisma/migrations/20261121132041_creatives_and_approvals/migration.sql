-- CreateTable
CREATE TABLE "creative" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "creative_id" TEXT NOT NULL,
    "principal_id" UUID NOT NULL,
    "operation_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "format_key" TEXT NOT NULL,
    "format_bare_key" TEXT NOT NULL,
    "format_name" TEXT NOT NULL,
    "form" TEXT NOT NULL,
    "body" JSONB NOT NULL,
    "body_hash" TEXT NOT NULL,
    "tags" TEXT[],
    "status" TEXT NOT NULL,
    "archived_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "creative_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "creative_placement" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "creative_id" TEXT NOT NULL,
    "connection_id" UUID NOT NULL,
    "seller" TEXT NOT NULL,
    "leg_id" UUID NOT NULL,
    "operation_id" UUID NOT NULL,
    "status" TEXT NOT NULL,
    "reason" TEXT,
    "platform_id" TEXT,
    "body_hash" TEXT,
    "synced_at" TIMESTAMPTZ(3),
    "observed_at" TIMESTAMPTZ(3),
    "observed_by" TEXT,
    "next_poll_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "creative_placement_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "creative_assignment" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "creative_id" TEXT NOT NULL,
    "package_id" TEXT NOT NULL,
    "media_buy_id" TEXT NOT NULL,
    "seller" TEXT NOT NULL,
    "operation_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "creative_assignment_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "approval" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "operation_id" UUID NOT NULL,
    "leg_id" UUID NOT NULL,
    "connection_id" UUID NOT NULL,
    "seller" TEXT NOT NULL,
    "task" TEXT NOT NULL,
    "round" INTEGER NOT NULL,
    "question_hash" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "question" JSONB NOT NULL,
    "errors" JSONB NOT NULL,
    "seller_task_id" TEXT,
    "a2a_task_id" TEXT,
    "context_id" TEXT,
    "state" TEXT NOT NULL,
    "asked_at" TIMESTAMPTZ(3) NOT NULL,
    "answer" JSONB,
    "answered_by" UUID,
    "answered_at" TIMESTAMPTZ(3),
    "outbound" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3),
    "closed_at" TIMESTAMPTZ(3),
    "outcome" TEXT,

    CONSTRAINT "approval_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "creative_organization_id_created_at_id_idx" ON "creative"("organization_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "creative_organization_id_creative_id_key" ON "creative"("organization_id", "creative_id");

-- CreateIndex
CREATE INDEX "creative_placement_organization_id_next_poll_at_idx" ON "creative_placement"("organization_id", "next_poll_at");

-- CreateIndex
CREATE UNIQUE INDEX "creative_placement_organization_id_creative_id_connection_i_key" ON "creative_placement"("organization_id", "creative_id", "connection_id");

-- CreateIndex
CREATE INDEX "creative_assignment_organization_id_media_buy_id_idx" ON "creative_assignment"("organization_id", "media_buy_id");

-- CreateIndex
CREATE UNIQUE INDEX "creative_assignment_organization_id_creative_id_package_id_key" ON "creative_assignment"("organization_id", "creative_id", "package_id");

-- CreateIndex
CREATE INDEX "approval_organization_id_state_asked_at_idx" ON "approval"("organization_id", "state", "asked_at");

-- CreateIndex
CREATE UNIQUE INDEX "approval_leg_id_round_key" ON "approval"("leg_id", "round");

select stand_under_tenancy('creative');
select stand_under_tenancy('creative_placement');
select stand_under_tenancy('creative_assignment');
select stand_under_tenancy('approval');
