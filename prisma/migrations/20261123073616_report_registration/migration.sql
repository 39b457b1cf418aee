-- AlterTable
ALTER TABLE "connection" ADD COLUMN     "report_registration" TEXT;
