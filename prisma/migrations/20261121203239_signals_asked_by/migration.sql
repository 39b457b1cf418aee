-- AlterTable
ALTER TABLE "signal_activation" ADD COLUMN     "asked_by" UUID;
