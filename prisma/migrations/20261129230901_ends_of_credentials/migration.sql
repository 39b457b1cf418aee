-- runs with: 20261129230900_client_logins
-- AlterTable
ALTER TABLE "credential" ADD COLUMN     "ends_at" TIMESTAMPTZ(3);
