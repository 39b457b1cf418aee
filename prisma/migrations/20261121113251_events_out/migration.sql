-- CreateTable
CREATE TABLE "buyer_registration" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "principal_id" UUID NOT NULL,
    "operation_id" UUID NOT NULL,
    "media_buy_id" TEXT,
    "channel" TEXT NOT NULL,
    "envelope" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "buyer_operation_id" TEXT,
    "context_id" TEXT,
    "credential_id" UUID,
    "frequency" TEXT,
    "dialect" TEXT NOT NULL,
    "form" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "buyer_registration_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "outbox_event" (
    "id" UUID NOT NULL,
    "position" BIGSERIAL NOT NULL,
    "organization_id" UUID NOT NULL,
    "registration_id" UUID NOT NULL,
    "principal_id" UUID NOT NULL,
    "operation_id" UUID NOT NULL,
    "media_buy_id" TEXT,
    "stream" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "notification_type" TEXT,
    "notification_id" TEXT,
    "sequence_number" INTEGER,
    "idempotency_key" TEXT NOT NULL,
    "body" BYTEA NOT NULL,
    "state" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "lease_until" TIMESTAMPTZ(3),
    "reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "outbox_event_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_attempt" (
    "event_id" UUID NOT NULL,
    "attempt" INTEGER NOT NULL,
    "organization_id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "fired_at" TIMESTAMPTZ(3) NOT NULL,
    "completed_at" TIMESTAMPTZ(3),
    "status" TEXT NOT NULL,
    "http_status_code" INTEGER,
    "response_time_ms" INTEGER,
    "error_message" TEXT,

    CONSTRAINT "webhook_attempt_pkey" PRIMARY KEY ("event_id","attempt")
);

-- CreateTable
CREATE TABLE "report_stream" (
    "registration_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "media_buy_id" TEXT NOT NULL,
    "sequence_number" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "report_stream_pkey" PRIMARY KEY ("registration_id")
);

-- CreateTable
CREATE TABLE "told_period" (
    "registration_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "period_start" TIMESTAMPTZ(3) NOT NULL,
    "period_end" TIMESTAMPTZ(3) NOT NULL,
    "figures_hash" TEXT NOT NULL,
    "event_id" UUID NOT NULL,
    "told_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "told_period_pkey" PRIMARY KEY ("registration_id","period_start")
);

-- CreateIndex
CREATE INDEX "buyer_registration_organization_id_operation_id_idx" ON "buyer_registration"("organization_id", "operation_id");

-- CreateIndex
CREATE INDEX "buyer_registration_organization_id_media_buy_id_idx" ON "buyer_registration"("organization_id", "media_buy_id");

-- CreateIndex
CREATE UNIQUE INDEX "outbox_event_idempotency_key_key" ON "outbox_event"("idempotency_key");

-- CreateIndex
CREATE INDEX "outbox_event_organization_id_state_due_at_idx" ON "outbox_event"("organization_id", "state", "due_at");

-- CreateIndex
CREATE INDEX "outbox_event_organization_id_stream_state_position_idx" ON "outbox_event"("organization_id", "stream", "state", "position");

-- CreateIndex
CREATE INDEX "outbox_event_organization_id_media_buy_id_idx" ON "outbox_event"("organization_id", "media_buy_id");

-- CreateIndex
CREATE INDEX "outbox_event_organization_id_operation_id_idx" ON "outbox_event"("organization_id", "operation_id");

-- CreateIndex
CREATE INDEX "webhook_attempt_organization_id_event_id_idx" ON "webhook_attempt"("organization_id", "event_id");

-- CreateIndex
CREATE INDEX "webhook_attempt_organization_id_fired_at_idx" ON "webhook_attempt"("organization_id", "fired_at");

-- CreateIndex
CREATE INDEX "report_stream_organization_id_due_at_idx" ON "report_stream"("organization_id", "due_at");

-- CreateIndex
CREATE INDEX "report_stream_organization_id_media_buy_id_idx" ON "report_stream"("organization_id", "media_buy_id");

-- CreateIndex
CREATE INDEX "told_period_organization_id_idx" ON "told_period"("organization_id");

select stand_under_tenancy('buyer_registration');
select stand_under_tenancy('outbox_event');
select stand_under_tenancy('webhook_attempt');
select stand_under_tenancy('report_stream');
select stand_under_tenancy('told_period');
