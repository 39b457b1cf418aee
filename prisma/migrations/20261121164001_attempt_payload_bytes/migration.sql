-- AlterTable
ALTER TABLE "webhook_attempt" ADD COLUMN     "payload_bytes" INTEGER;
