-- AlterTable
ALTER TABLE "operation" ADD COLUMN     "context_id" TEXT,
ADD COLUMN     "history" JSONB;
