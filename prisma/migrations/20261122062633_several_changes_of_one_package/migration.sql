-- DropIndex
DROP INDEX "buy_change_leg_id_action_package_id_at_key";

-- CreateIndex
CREATE INDEX "buy_change_leg_id_idx" ON "buy_change"("leg_id");
