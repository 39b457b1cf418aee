-- runs with: 20261129232800_client_logins
-- AlterTable
ALTER TABLE "credential" ADD COLUMN     "ends_at" TIMESTAMPTZ(3);
