-- AlterTable
ALTER TABLE "leg" ADD COLUMN     "told_at" TIMESTAMPTZ(3);
