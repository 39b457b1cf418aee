-- CreateIndex
CREATE INDEX "approval_organization_id_operation_id_idx" ON "approval"("organization_id", "operation_id");

-- CreateIndex
CREATE INDEX "inbox_duplicate_organization_id_registration_id_idx" ON "inbox_duplicate"("organization_id", "registration_id");

-- CreateIndex
CREATE INDEX "webhook_registration_organization_id_operation_id_idx" ON "webhook_registration"("organization_id", "operation_id");
