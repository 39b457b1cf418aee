-- AlterTable
ALTER TABLE "told_period" DROP CONSTRAINT "told_period_pkey",
ADD CONSTRAINT "told_period_pkey" PRIMARY KEY ("registration_id", "period_start", "period_end");
