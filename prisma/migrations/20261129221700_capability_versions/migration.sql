-- runs with: 20261129185800_plans
-- CreateTable
CREATE TABLE "capability_version" (
    "organization_id" UUID NOT NULL,
    "connection_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "read_at" TIMESTAMPTZ(3) NOT NULL,
    "changes" JSONB NOT NULL,
    "document" JSONB NOT NULL,
    "asks" BOOLEAN NOT NULL,
    "accepted_at" TIMESTAMPTZ(3),
    "accepted_by" UUID,

    CONSTRAINT "capability_version_pkey" PRIMARY KEY ("organization_id","connection_id","version")
);

select stand_under_tenancy('capability_version');
