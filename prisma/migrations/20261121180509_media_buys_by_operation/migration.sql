-- CreateIndex
CREATE INDEX "media_buy_organization_id_operation_id_idx" ON "media_buy"("organization_id", "operation_id");
