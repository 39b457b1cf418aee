-- AlterTable
ALTER TABLE "webhook_claim" ADD COLUMN     "is_weaker" BOOLEAN NOT NULL DEFAULT false;
