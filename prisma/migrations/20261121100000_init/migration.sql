-- CreateTable
CREATE TABLE "organization" (
    "id" UUID NOT NULL,
    "slug" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "domain" TEXT NOT NULL,
    "is_public" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "organization_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "principal" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "permissions" JSONB NOT NULL,
    "transitional" BOOLEAN NOT NULL DEFAULT false,
    "legacy" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "disabled_at" TIMESTAMPTZ(3),

    CONSTRAINT "principal_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "principal_token" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "principal_id" UUID NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "label" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "principal_token_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "principal_account" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "principal_id" UUID NOT NULL,
    "brand_domain" TEXT NOT NULL,
    "brand_id" TEXT NOT NULL DEFAULT '',
    "operator" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "principal_account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "connection" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "slug" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "agent_url" TEXT NOT NULL,
    "protocol" TEXT NOT NULL,
    "dialect" TEXT NOT NULL,
    "configured_form" TEXT NOT NULL,
    "form" TEXT NOT NULL,
    "kinds" TEXT[],
    "state" TEXT NOT NULL,
    "state_reason" TEXT,
    "account" JSONB,
    "capabilities" JSONB,
    "capabilities_at" TIMESTAMPTZ(3),
    "tools" JSONB,
    "pinned_jwks_uri" TEXT,
    "pinned_brand_json_url" TEXT,
    "credential_id" UUID,
    "key_credential_id" UUID,
    "legacy_webhooks" BOOLEAN NOT NULL DEFAULT false,
    "is_sandbox" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "connection_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "connection_health" (
    "connection_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "breaker" TEXT NOT NULL,
    "failures" INTEGER NOT NULL,
    "last_ok_at" TIMESTAMPTZ(3),
    "last_failure_at" TIMESTAMPTZ(3),
    "last_failure_code" TEXT,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "connection_health_pkey" PRIMARY KEY ("connection_id")
);

-- CreateTable
CREATE TABLE "credential" (
    "credential_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "organization_id" UUID NOT NULL,
    "connection_id" UUID,
    "seller" TEXT,
    "kind" TEXT NOT NULL,
    "scheme" TEXT NOT NULL,
    "kms_key_id" TEXT NOT NULL,
    "wrapped_key" BYTEA NOT NULL,
    "nonce" BYTEA NOT NULL,
    "ciphertext" BYTEA NOT NULL,
    "tag" BYTEA NOT NULL,
    "commitment" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "rewrapped_at" TIMESTAMPTZ(3),
    "retired_at" TIMESTAMPTZ(3),

    CONSTRAINT "credential_pkey" PRIMARY KEY ("credential_id","version")
);

-- CreateTable
CREATE TABLE "credential_use" (
    "id" BIGSERIAL NOT NULL,
    "organization_id" UUID NOT NULL,
    "credential_id" UUID NOT NULL,
    "credential_version" INTEGER NOT NULL,
    "operation_id" UUID,
    "purpose" TEXT NOT NULL,
    "actor" TEXT NOT NULL,
    "used_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "credential_use_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "signing_key" (
    "kid" TEXT NOT NULL,
    "organization_id" UUID NOT NULL,
    "principal_id" UUID,
    "credential_id" UUID NOT NULL,
    "public_jwk" JSONB NOT NULL,
    "state" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "retired_at" TIMESTAMPTZ(3),

    CONSTRAINT "signing_key_pkey" PRIMARY KEY ("kid")
);

-- CreateTable
CREATE TABLE "operation" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "principal_id" UUID,
    "task" TEXT NOT NULL,
    "task_id" TEXT NOT NULL,
    "idempotency_key" TEXT,
    "request_hash" TEXT NOT NULL,
    "buyer_ref" TEXT,
    "dialect" TEXT NOT NULL,
    "form" TEXT NOT NULL,
    "version" TEXT,
    "request" JSONB NOT NULL,
    "context" JSONB,
    "push" JSONB,
    "status" TEXT NOT NULL,
    "answer" JSONB,
    "errors" JSONB,
    "sellers" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "settled_at" TIMESTAMPTZ(3),

    CONSTRAINT "operation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "leg" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "operation_id" UUID NOT NULL,
    "connection_id" UUID NOT NULL,
    "seller" TEXT NOT NULL,
    "task" TEXT NOT NULL,
    "dialect" TEXT NOT NULL,
    "form" TEXT NOT NULL,
    "outbound" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "seller_task_id" TEXT,
    "a2a_task_id" TEXT,
    "context_id" TEXT,
    "answer" JSONB,
    "errors" JSONB,
    "findings" JSONB,
    "observed_by" TEXT,
    "observed_at" TIMESTAMPTZ(3),
    "sent_at" TIMESTAMPTZ(3),
    "next_poll_at" TIMESTAMPTZ(3),
    "lease_until" TIMESTAMPTZ(3),
    "elapsed_ms" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "leg_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "offered_product" (
    "connection_id" UUID NOT NULL,
    "product_id" TEXT NOT NULL,
    "organization_id" UUID NOT NULL,
    "seller" TEXT NOT NULL,
    "offer" JSONB NOT NULL,
    "offered_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "offered_product_pkey" PRIMARY KEY ("connection_id","product_id")
);

-- CreateTable
CREATE TABLE "media_buy" (
    "id" TEXT NOT NULL,
    "organization_id" UUID NOT NULL,
    "operation_id" UUID NOT NULL,
    "principal_id" UUID NOT NULL,
    "buyer_ref" TEXT,
    "brand" JSONB NOT NULL,
    "operator" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "start_time" TEXT NOT NULL,
    "end_time" TEXT NOT NULL,
    "context" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "media_buy_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "seller_buy" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "media_buy_id" TEXT NOT NULL,
    "leg_id" UUID NOT NULL,
    "connection_id" UUID NOT NULL,
    "seller" TEXT NOT NULL,
    "seller_media_buy_id" TEXT,
    "status" TEXT NOT NULL,
    "status_as_of" TIMESTAMPTZ(3),
    "revision" INTEGER,
    "confirmed_at" TIMESTAMPTZ(3),
    "reporting_ended_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "seller_buy_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "buy_package" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "media_buy_id" TEXT NOT NULL,
    "leg_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "seller" TEXT NOT NULL,
    "buyer_ref" TEXT,
    "product_id" TEXT NOT NULL,
    "pricing_option_id" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "budget_micros" BIGINT NOT NULL,
    "bid_micros" BIGINT,
    "context" JSONB,
    "seller_package_id" TEXT,

    CONSTRAINT "buy_package_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_registration" (
    "id" TEXT NOT NULL,
    "organization_id" UUID NOT NULL,
    "connection_id" UUID NOT NULL,
    "leg_id" UUID NOT NULL,
    "operation_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "seller_operation_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_registration_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "inbox_event" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "registration_id" TEXT NOT NULL,
    "connection_id" UUID NOT NULL,
    "sender" TEXT NOT NULL,
    "keyid" TEXT,
    "idempotency_key" TEXT,
    "kind" TEXT NOT NULL,
    "headers" JSONB NOT NULL,
    "body" BYTEA NOT NULL,
    "body_hash" TEXT NOT NULL,
    "verdict" JSONB NOT NULL,
    "state" TEXT NOT NULL,
    "reason" TEXT,
    "received_at" TIMESTAMPTZ(3) NOT NULL,
    "applied_at" TIMESTAMPTZ(3),

    CONSTRAINT "inbox_event_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_claim" (
    "sender" TEXT NOT NULL,
    "idempotency_key" TEXT NOT NULL,
    "body_hash" TEXT NOT NULL,
    "event_id" UUID NOT NULL,
    "claimed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_claim_pkey" PRIMARY KEY ("sender","idempotency_key")
);

-- CreateTable
CREATE TABLE "signature_nonce" (
    "keyid" TEXT NOT NULL,
    "nonce" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "signature_nonce_pkey" PRIMARY KEY ("keyid","nonce")
);

-- CreateTable
CREATE TABLE "report_version" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "connection_id" UUID NOT NULL,
    "seller" TEXT NOT NULL,
    "media_buy_id" TEXT NOT NULL,
    "seller_buy_id" UUID NOT NULL,
    "package_ref" TEXT NOT NULL,
    "period_start" TIMESTAMPTZ(3) NOT NULL,
    "period_end" TIMESTAMPTZ(3) NOT NULL,
    "granularity" TEXT NOT NULL,
    "measurement_window" TEXT NOT NULL DEFAULT '',
    "version" INTEGER NOT NULL,
    "is_current" BOOLEAN NOT NULL,
    "notification_type" TEXT NOT NULL,
    "is_final" BOOLEAN,
    "sequence_number" INTEGER,
    "stream" TEXT NOT NULL,
    "reported_at" TIMESTAMPTZ(3) NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL,
    "source" TEXT NOT NULL,
    "event_id" UUID,
    "operation_id" UUID NOT NULL,
    "currency" TEXT NOT NULL,
    "spend_micros" BIGINT NOT NULL,
    "spend_text" TEXT NOT NULL,
    "impressions" BIGINT,
    "clicks" BIGINT,
    "entry_id" UUID,

    CONSTRAINT "report_version_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "journal_block" (
    "organization_id" UUID NOT NULL,
    "stream" TEXT NOT NULL,
    "number" BIGINT NOT NULL,
    "previous_hash" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "entry_count" INTEGER NOT NULL,
    "sealed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "journal_block_pkey" PRIMARY KEY ("organization_id","stream","number")
);

-- CreateTable
CREATE TABLE "journal_head" (
    "organization_id" UUID NOT NULL,
    "stream" TEXT NOT NULL,
    "number" BIGINT NOT NULL,
    "hash" TEXT NOT NULL,
    "entry_total" BIGINT NOT NULL,
    "sealed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "journal_head_pkey" PRIMARY KEY ("organization_id","stream")
);

-- CreateTable
CREATE TABLE "ledger_entry" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "stream" TEXT NOT NULL,
    "block_number" BIGINT NOT NULL,
    "position" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "operation_id" UUID NOT NULL,
    "media_buy_id" TEXT,
    "seller" TEXT NOT NULL,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "body" TEXT NOT NULL,
    "hash" TEXT NOT NULL,

    CONSTRAINT "ledger_entry_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ledger_posting" (
    "entry_id" UUID NOT NULL,
    "line" INTEGER NOT NULL,
    "organization_id" UUID NOT NULL,
    "account" TEXT NOT NULL,
    "seller" TEXT NOT NULL,
    "media_buy_id" TEXT,
    "day" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "amount_micros" BIGINT NOT NULL,

    CONSTRAINT "ledger_posting_pkey" PRIMARY KEY ("entry_id","line")
);

-- CreateTable
CREATE TABLE "ledger_balance" (
    "organization_id" UUID NOT NULL,
    "account" TEXT NOT NULL,
    "seller" TEXT NOT NULL,
    "day" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "amount_micros" BIGINT NOT NULL,

    CONSTRAINT "ledger_balance_pkey" PRIMARY KEY ("organization_id","account","seller","day","currency")
);

-- CreateTable
CREATE TABLE "instance_note" (
    "key" TEXT NOT NULL,
    "value" JSONB NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "instance_note_pkey" PRIMARY KEY ("key")
);

-- CreateIndex
CREATE UNIQUE INDEX "organization_slug_key" ON "organization"("slug");

-- CreateIndex
CREATE UNIQUE INDEX "principal_organization_id_name_key" ON "principal"("organization_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "principal_token_token_hash_key" ON "principal_token"("token_hash");

-- CreateIndex
CREATE INDEX "principal_token_organization_id_principal_id_idx" ON "principal_token"("organization_id", "principal_id");

-- CreateIndex
CREATE UNIQUE INDEX "principal_account_organization_id_principal_id_brand_domain_key" ON "principal_account"("organization_id", "principal_id", "brand_domain", "brand_id", "operator");

-- CreateIndex
CREATE INDEX "connection_organization_id_state_idx" ON "connection"("organization_id", "state");

-- CreateIndex
CREATE UNIQUE INDEX "connection_organization_id_slug_key" ON "connection"("organization_id", "slug");

-- CreateIndex
CREATE INDEX "connection_health_organization_id_idx" ON "connection_health"("organization_id");

-- CreateIndex
CREATE INDEX "credential_organization_id_connection_id_idx" ON "credential"("organization_id", "connection_id");

-- CreateIndex
CREATE INDEX "credential_organization_id_kms_key_id_idx" ON "credential"("organization_id", "kms_key_id");

-- CreateIndex
CREATE INDEX "credential_use_organization_id_credential_id_used_at_idx" ON "credential_use"("organization_id", "credential_id", "used_at");

-- CreateIndex
CREATE INDEX "signing_key_organization_id_principal_id_idx" ON "signing_key"("organization_id", "principal_id");

-- CreateIndex
CREATE UNIQUE INDEX "operation_task_id_key" ON "operation"("task_id");

-- CreateIndex
CREATE INDEX "operation_organization_id_status_idx" ON "operation"("organization_id", "status");

-- CreateIndex
CREATE INDEX "operation_organization_id_created_at_idx" ON "operation"("organization_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "operation_organization_id_principal_id_idempotency_key_key" ON "operation"("organization_id", "principal_id", "idempotency_key");

-- CreateIndex
CREATE INDEX "leg_organization_id_operation_id_idx" ON "leg"("organization_id", "operation_id");

-- CreateIndex
CREATE INDEX "leg_organization_id_status_next_poll_at_idx" ON "leg"("organization_id", "status", "next_poll_at");

-- CreateIndex
CREATE INDEX "leg_organization_id_connection_id_seller_task_id_idx" ON "leg"("organization_id", "connection_id", "seller_task_id");

-- CreateIndex
CREATE INDEX "offered_product_organization_id_seller_idx" ON "offered_product"("organization_id", "seller");

-- CreateIndex
CREATE UNIQUE INDEX "media_buy_operation_id_key" ON "media_buy"("operation_id");

-- CreateIndex
CREATE INDEX "media_buy_organization_id_principal_id_created_at_idx" ON "media_buy"("organization_id", "principal_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "seller_buy_leg_id_key" ON "seller_buy"("leg_id");

-- CreateIndex
CREATE INDEX "seller_buy_organization_id_media_buy_id_idx" ON "seller_buy"("organization_id", "media_buy_id");

-- CreateIndex
CREATE UNIQUE INDEX "seller_buy_connection_id_seller_media_buy_id_key" ON "seller_buy"("connection_id", "seller_media_buy_id");

-- CreateIndex
CREATE INDEX "buy_package_organization_id_media_buy_id_idx" ON "buy_package"("organization_id", "media_buy_id");

-- CreateIndex
CREATE UNIQUE INDEX "buy_package_media_buy_id_position_key" ON "buy_package"("media_buy_id", "position");

-- CreateIndex
CREATE INDEX "webhook_registration_organization_id_leg_id_idx" ON "webhook_registration"("organization_id", "leg_id");

-- CreateIndex
CREATE INDEX "inbox_event_organization_id_state_received_at_idx" ON "inbox_event"("organization_id", "state", "received_at");

-- CreateIndex
CREATE INDEX "inbox_event_organization_id_registration_id_idx" ON "inbox_event"("organization_id", "registration_id");

-- CreateIndex
CREATE INDEX "signature_nonce_expires_at_idx" ON "signature_nonce"("expires_at");

-- CreateIndex
CREATE INDEX "report_version_organization_id_media_buy_id_idx" ON "report_version"("organization_id", "media_buy_id");

-- CreateIndex
CREATE INDEX "report_version_organization_id_seller_period_start_idx" ON "report_version"("organization_id", "seller", "period_start");

-- CreateIndex
CREATE UNIQUE INDEX "report_version_seller_buy_id_package_ref_period_start_perio_key" ON "report_version"("seller_buy_id", "package_ref", "period_start", "period_end", "granularity", "measurement_window", "version");

-- CreateIndex
CREATE INDEX "ledger_entry_organization_id_media_buy_id_idx" ON "ledger_entry"("organization_id", "media_buy_id");

-- CreateIndex
CREATE UNIQUE INDEX "ledger_entry_organization_id_stream_block_number_position_key" ON "ledger_entry"("organization_id", "stream", "block_number", "position");

-- CreateIndex
CREATE INDEX "ledger_posting_organization_id_account_seller_currency_idx" ON "ledger_posting"("organization_id", "account", "seller", "currency");
