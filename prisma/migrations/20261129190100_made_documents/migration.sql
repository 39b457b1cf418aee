-- CreateTable
CREATE TABLE "made_document" (
    "organization_id" UUID NOT NULL,
    "digest" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "made_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "made_document_pkey" PRIMARY KEY ("organization_id","digest")
);

select stand_under_tenancy('made_document');
