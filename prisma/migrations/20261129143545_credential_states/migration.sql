-- runs with: 20261129103015_documents_of_sellers
-- AlterTable
ALTER TABLE "credential" ADD COLUMN     "overlap_ms" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "refusals" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "state" TEXT NOT NULL DEFAULT 'current',
ADD COLUMN     "uses" INTEGER NOT NULL DEFAULT 0;
