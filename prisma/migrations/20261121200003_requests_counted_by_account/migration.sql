-- AlterTable
ALTER TABLE "operation" ADD COLUMN     "insert_scope" TEXT;

-- CreateIndex
CREATE INDEX "operation_organization_id_insert_scope_created_at_idx" ON "operation"("organization_id", "insert_scope", "created_at");
