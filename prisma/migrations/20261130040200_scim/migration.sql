-- runs with: 20261130040100_sign_in_providers
-- CreateTable
CREATE TABLE "scim_access" (
    "organization_id" UUID NOT NULL,
    "principal_id" UUID NOT NULL,
    "allowed_at" TIMESTAMPTZ(3) NOT NULL,
    "allowed_by" UUID NOT NULL,

    CONSTRAINT "scim_access_pkey" PRIMARY KEY ("organization_id")
);

-- CreateTable
CREATE TABLE "scim_user" (
    "organization_id" UUID NOT NULL,
    "principal_id" UUID NOT NULL,
    "user_name" TEXT NOT NULL,
    "external_id" TEXT NOT NULL,
    "given_name" TEXT NOT NULL,
    "family_name" TEXT NOT NULL,
    "display_name" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "scim_user_pkey" PRIMARY KEY ("organization_id","principal_id")
);

-- CreateTable
CREATE TABLE "scim_group" (
    "organization_id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "external_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "scim_group_pkey" PRIMARY KEY ("organization_id","team_id")
);

-- CreateIndex
CREATE INDEX "scim_user_organization_id_external_id_idx" ON "scim_user"("organization_id", "external_id");

-- CreateIndex
CREATE INDEX "scim_user_organization_id_email_idx" ON "scim_user"("organization_id", "email");

-- CreateIndex
CREATE INDEX "scim_user_organization_id_created_at_principal_id_idx" ON "scim_user"("organization_id", "created_at", "principal_id");

-- CreateIndex
CREATE INDEX "scim_group_organization_id_external_id_idx" ON "scim_group"("organization_id", "external_id");

-- User names have no case (RFC 7643, 4.1.1).
create unique index scim_user_name on scim_user (organization_id, lower(user_name));
select stand_under_tenancy('scim_access');
select stand_under_tenancy('scim_user');
select stand_under_tenancy('scim_group');
