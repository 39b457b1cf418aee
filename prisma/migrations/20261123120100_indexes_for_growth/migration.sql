-- DropIndex
DROP INDEX "offered_product_organization_id_seller_idx";

-- DropIndex
DROP INDEX "offered_proposal_organization_id_seller_idx";

-- CreateIndex
CREATE INDEX "alarm_organization_id_kind_subject_acknowledged_at_idx" ON "alarm"("organization_id", "kind", "subject", "acknowledged_at");

-- CreateIndex
CREATE INDEX "approval_organization_id_asked_at_id_idx" ON "approval"("organization_id", "asked_at" DESC, "id");

-- CreateIndex
CREATE INDEX "approval_organization_id_seller_asked_at_id_idx" ON "approval"("organization_id", "seller", "asked_at" DESC, "id");

-- CreateIndex
CREATE INDEX "inbox_event_organization_id_received_at_id_idx" ON "inbox_event"("organization_id", "received_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "buy_package_organization_id_leg_id_idx" ON "buy_package"("organization_id", "leg_id");

-- CreateIndex
CREATE INDEX "buy_package_organization_id_seller_package_id_idx" ON "buy_package"("organization_id", "seller_package_id");

-- CreateIndex
CREATE INDEX "buyer_registration_organization_id_credential_id_idx" ON "buyer_registration"("organization_id", "credential_id");

-- CreateIndex
CREATE INDEX "connection_agent_url_idx" ON "connection"("agent_url");

-- CreateIndex
CREATE INDEX "creative_assignment_organization_id_package_id_idx" ON "creative_assignment"("organization_id", "package_id");

-- CreateIndex
CREATE INDEX "creative_placement_organization_id_leg_id_idx" ON "creative_placement"("organization_id", "leg_id");

-- CreateIndex
CREATE INDEX "counted_spend_organization_id_seller_buy_id_package_ref_idx" ON "counted_spend"("organization_id", "seller_buy_id", "package_ref");

-- CreateIndex
CREATE INDEX "leg_organization_id_seller_buy_id_idx" ON "leg"("organization_id", "seller_buy_id");

-- CreateIndex
CREATE INDEX "media_buy_organization_id_created_at_id_idx" ON "media_buy"("organization_id", "created_at" DESC, "id");

-- CreateIndex
CREATE INDEX "media_buy_organization_id_buyer_ref_idx" ON "media_buy"("organization_id", "buyer_ref");

-- CreateIndex
CREATE INDEX "offered_product_organization_id_seller_product_id_idx" ON "offered_product"("organization_id", "seller", "product_id");

-- CreateIndex
CREATE INDEX "offered_proposal_organization_id_seller_proposal_id_idx" ON "offered_proposal"("organization_id", "seller", "proposal_id");

-- CreateIndex
CREATE INDEX "operation_organization_id_task_settled_at_idx" ON "operation"("organization_id", "task", "settled_at");

-- What is open among much that has ended. These hold few rows, however many there were.
create index leg_leased on leg (organization_id, lease_until) where lease_until is not null;
create index outbox_event_leased on outbox_event (organization_id, lease_until) where lease_until is not null;
create index inbox_event_with_body on inbox_event (organization_id, received_at) where body_purged_at is null;
create index creative_placement_in_review on creative_placement (organization_id, observed_at)
  where status = 'pending_review';
create index media_buy_live on media_buy (organization_id, principal_id)
  where status not in ('completed', 'rejected', 'canceled');
