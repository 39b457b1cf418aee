-- AlterTable
ALTER TABLE "leg" ADD COLUMN     "sealed" BOOLEAN NOT NULL DEFAULT false;
