-- AlterTable
ALTER TABLE "report_watch" ADD COLUMN     "lease_until" TIMESTAMPTZ(3);
