-- runs with: 20261129220145_client_logins
-- AlterTable
ALTER TABLE "credential" ADD COLUMN     "ends_at" TIMESTAMPTZ(3);
