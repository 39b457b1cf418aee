-- runs with: 20261202030200_traces_of_requests
ALTER TABLE "usage_count" ADD COLUMN     "import_bytes" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "relays" BIGINT NOT NULL DEFAULT 0;
