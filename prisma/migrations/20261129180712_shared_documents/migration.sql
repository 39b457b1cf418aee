-- runs with: 20261129173412_client_billing
-- CreateTable
CREATE TABLE "shared_document" (
    "organization_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "token_hash" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "document" JSONB NOT NULL,
    "page" JSONB NOT NULL,
    "digest" TEXT NOT NULL,
    "jws" TEXT NOT NULL,
    "key" JSONB NOT NULL,
    "made_by" UUID NOT NULL,
    "made_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),
    "opens" INTEGER NOT NULL DEFAULT 0,
    "opened_at" TIMESTAMPTZ(3),

    CONSTRAINT "shared_document_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateIndex
CREATE INDEX "shared_document_organization_id_made_at_id_idx" ON "shared_document"("organization_id", "made_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "shared_document_organization_id_token_hash_key" ON "shared_document"("organization_id", "token_hash");

select stand_under_tenancy('shared_document');

-- CreateIndex
CREATE INDEX "bank_entry_organization_id_state_booked_on_key_idx" ON "bank_entry"("organization_id", "state", "booked_on" DESC, "key");
