-- AlterTable
ALTER TABLE "leg" ADD COLUMN     "earlier" JSONB;
