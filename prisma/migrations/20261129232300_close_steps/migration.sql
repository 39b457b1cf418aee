-- runs with: 20261129185800_plans
-- CreateTable
CREATE TABLE "close_step" (
    "organization_id" UUID NOT NULL,
    "period" TEXT NOT NULL,
    "step" TEXT NOT NULL,
    "owner" UUID,
    "due_on" DATE,
    "done_by" UUID,
    "done_at" TIMESTAMPTZ(3),
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "close_step_pkey" PRIMARY KEY ("organization_id","period","step")
);

select stand_under_tenancy('close_step');
