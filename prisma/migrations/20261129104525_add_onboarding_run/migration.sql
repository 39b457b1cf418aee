-- runs with: 20261129093000_one_spelling_of_a_brand
-- CreateTable
CREATE TABLE "onboarding_run" (
    "organization_id" UUID NOT NULL,
    "connection_id" UUID NOT NULL,
    "input" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "checks" JSONB NOT NULL,
    "digest" TEXT NOT NULL,
    "started_by" UUID NOT NULL,
    "approval_id" UUID,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "onboarding_run_pkey" PRIMARY KEY ("organization_id","connection_id")
);

select stand_under_tenancy('onboarding_run');
