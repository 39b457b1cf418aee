-- AlterTable
ALTER TABLE "buy_package" ADD COLUMN     "canceled_at" TIMESTAMPTZ(3),
ADD COLUMN     "paused" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "leg" ADD COLUMN     "seller_buy_id" UUID;

-- AlterTable
ALTER TABLE "media_buy" ADD COLUMN     "revision" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "operation" ADD COLUMN     "media_buy_id" TEXT;

-- AlterTable
ALTER TABLE "seller_buy" ADD COLUMN     "actions" JSONB;

-- CreateTable
CREATE TABLE "buy_change" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "media_buy_id" TEXT NOT NULL,
    "seller_buy_id" UUID NOT NULL,
    "operation_id" UUID NOT NULL,
    "leg_id" UUID NOT NULL,
    "seller" TEXT NOT NULL,
    "revision" INTEGER NOT NULL,
    "actor" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "package_id" TEXT,
    "detail" JSONB NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "buy_change_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "buy_change_organization_id_media_buy_id_at_idx" ON "buy_change"("organization_id", "media_buy_id", "at");

-- CreateIndex
CREATE UNIQUE INDEX "buy_change_leg_id_action_package_id_at_key" ON "buy_change"("leg_id", "action", "package_id", "at");

select stand_under_tenancy('buy_change');
