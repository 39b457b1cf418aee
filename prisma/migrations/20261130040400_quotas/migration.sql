-- runs with: 20261130040300_erasure
-- CreateTable
CREATE TABLE "organization_quota" (
    "organization_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "most" BIGINT NOT NULL,
    "set_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "organization_quota_pkey" PRIMARY KEY ("organization_id","kind")
);

-- CreateTable
CREATE TABLE "usage_count" (
    "organization_id" UUID NOT NULL,
    "day" TEXT NOT NULL,
    "calls" BIGINT NOT NULL,

    CONSTRAINT "usage_count_pkey" PRIMARY KEY ("organization_id","day")
);
select stand_under_tenancy('organization_quota');
select stand_under_tenancy('usage_count');
