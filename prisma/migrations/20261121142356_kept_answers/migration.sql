-- CreateTable
CREATE TABLE "kept_answer" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "principal_id" UUID,
    "task" TEXT NOT NULL,
    "question_hash" TEXT NOT NULL,
    "answer" TEXT NOT NULL,
    "seal" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "kept_answer_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "kept_answer_organization_id_expires_at_idx" ON "kept_answer"("organization_id", "expires_at");

select stand_under_tenancy('kept_answer');
