-- AlterTable
ALTER TABLE "creative" ADD COLUMN     "status_at" TIMESTAMPTZ(3);
