-- runs with: 20261129235000_ends_of_credentials_are_found
-- AlterTable
ALTER TABLE "access_grant" ADD COLUMN     "is_by_provider" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "sign_in_provider" (
    "organization_id" UUID NOT NULL,
    "issuer" TEXT NOT NULL,
    "client_id" TEXT NOT NULL,
    "credential_id" UUID,
    "name" TEXT NOT NULL,
    "domains" TEXT[],
    "trusts_email" BOOLEAN NOT NULL,
    "groups_claim" TEXT NOT NULL,
    "extra_scopes" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "groups" JSONB NOT NULL,
    "set_at" TIMESTAMPTZ(3) NOT NULL,
    "set_by" UUID NOT NULL,

    CONSTRAINT "sign_in_provider_pkey" PRIMARY KEY ("organization_id")
);
select stand_under_tenancy('sign_in_provider');
