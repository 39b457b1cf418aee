-- AlterTable
ALTER TABLE "buy_package" ADD COLUMN     "terms" JSONB;

-- AlterTable
ALTER TABLE "seller_buy" ADD COLUMN     "said" JSONB;
