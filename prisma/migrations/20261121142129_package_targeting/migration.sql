-- AlterTable
ALTER TABLE "buy_package" ADD COLUMN     "targeting" JSONB;
