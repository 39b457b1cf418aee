-- AlterTable
ALTER TABLE "operation" ADD COLUMN     "plan" JSONB;
