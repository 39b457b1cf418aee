-- AlterTable
ALTER TABLE "inbox_event" ADD COLUMN     "body_purged_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "webhook_claim" ADD COLUMN     "keep_until" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "inbox_duplicate" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "registration_id" TEXT NOT NULL,
    "connection_id" UUID NOT NULL,
    "sender" TEXT NOT NULL,
    "idempotency_key" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "body_hash" TEXT NOT NULL,
    "is_same_body" BOOLEAN NOT NULL,
    "copies" INTEGER NOT NULL,
    "first_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "inbox_duplicate_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "event_decision" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "decision" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "was" TEXT,
    "principal_id" UUID NOT NULL,
    "principal_name" TEXT NOT NULL,
    "decided_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "event_decision_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "report_watch" (
    "leg_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "connection_id" UUID NOT NULL,
    "seller_buy_id" UUID NOT NULL,
    "highest_sequence" INTEGER NOT NULL DEFAULT 0,
    "missing" INTEGER[],
    "next_expected_at" TIMESTAMPTZ(3),
    "last_report_at" TIMESTAMPTZ(3),
    "last_pulled_at" TIMESTAMPTZ(3),
    "last_outcome" TEXT,
    "due_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "report_watch_pkey" PRIMARY KEY ("leg_id")
);

-- CreateTable
CREATE TABLE "impairment" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "connection_id" UUID NOT NULL,
    "seller_buy_id" UUID NOT NULL,
    "media_buy_id" TEXT NOT NULL,
    "seller" TEXT NOT NULL,
    "impairment_id" TEXT NOT NULL,
    "detail" JSONB NOT NULL,
    "observed_at" TIMESTAMPTZ(3) NOT NULL,
    "first_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "resolved_at" TIMESTAMPTZ(3),
    "source" TEXT NOT NULL,
    "event_id" UUID,

    CONSTRAINT "impairment_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "inbox_duplicate_organization_id_last_seen_at_idx" ON "inbox_duplicate"("organization_id", "last_seen_at");

-- CreateIndex
CREATE UNIQUE INDEX "inbox_duplicate_event_id_registration_id_body_hash_key" ON "inbox_duplicate"("event_id", "registration_id", "body_hash");

-- CreateIndex
CREATE UNIQUE INDEX "event_decision_event_id_key" ON "event_decision"("event_id");

-- CreateIndex
CREATE INDEX "event_decision_organization_id_decided_at_idx" ON "event_decision"("organization_id", "decided_at");

-- CreateIndex
CREATE INDEX "report_watch_organization_id_due_at_idx" ON "report_watch"("organization_id", "due_at");

-- CreateIndex
CREATE INDEX "impairment_organization_id_media_buy_id_idx" ON "impairment"("organization_id", "media_buy_id");

-- CreateIndex
CREATE UNIQUE INDEX "impairment_seller_buy_id_impairment_id_key" ON "impairment"("seller_buy_id", "impairment_id");

-- CreateIndex
CREATE INDEX "webhook_claim_keep_until_idx" ON "webhook_claim"("keep_until");

select stand_under_tenancy('inbox_duplicate');
select stand_under_tenancy('event_decision');
select stand_under_tenancy('report_watch');
select stand_under_tenancy('impairment');

-- A decision is evidence: it is written once. A trigger says so, because the grants are renewed after each migration.
create function refuse_change()
returns trigger
language plpgsql set search_path = public, pg_temp
as $$
begin
  raise exception 'Rows of % are written once.', tg_table_name using errcode = 'insufficient_privilege';
end
$$;
revoke execute on function refuse_change() from public;
create trigger written_once before update or delete on event_decision
  for each row execute function refuse_change();

-- Keys that were claimed before this migration: only those of a refused body may ever be forgotten.
update webhook_claim set keep_until = claimed_at + interval '7 days' where sender like 'registration:%';
