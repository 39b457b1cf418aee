-- CreateTable
CREATE TABLE "journal_checkpoint" (
    "organization_id" UUID NOT NULL,
    "stream" TEXT NOT NULL,
    "number" BIGINT NOT NULL,
    "hash" TEXT NOT NULL,
    "entry_total" BIGINT NOT NULL,
    "sealed_at" TIMESTAMPTZ(3) NOT NULL,
    "sums" JSONB NOT NULL,
    "verified_at" TIMESTAMPTZ(3) NOT NULL,
    "whole_at" TIMESTAMPTZ(3) NOT NULL,
    "key_id" TEXT NOT NULL,
    "wrapped_key" BYTEA NOT NULL,
    "mac" TEXT NOT NULL,

    CONSTRAINT "journal_checkpoint_pkey" PRIMARY KEY ("organization_id","stream")
);

select stand_under_tenancy('journal_checkpoint');
