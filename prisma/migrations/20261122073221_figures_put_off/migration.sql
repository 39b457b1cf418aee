-- AlterTable
ALTER TABLE "report_watch" ADD COLUMN     "figures_expected_at" TIMESTAMPTZ(3)[] DEFAULT ARRAY[]::TIMESTAMPTZ(3)[];
