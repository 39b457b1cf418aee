-- runs with: 20261123210500_passwords
-- What is asked after a person's password. The secret of the codes lies in the vault; of recovery codes the hashes are here.
CREATE TABLE "person_factor" (
    "principal_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "totp_credential_id" UUID,
    "totp_since" TIMESTAMPTZ(3),
    "totp_last_step" BIGINT,
    "totp_pending_id" UUID,
    "recovery_hashes" TEXT[] DEFAULT ARRAY[]::TEXT[],

    CONSTRAINT "person_factor_pkey" PRIMARY KEY ("principal_id")
);
CREATE INDEX "person_factor_organization_id_idx" ON "person_factor"("organization_id");

select stand_under_tenancy('person_factor');
