-- runs with: 20261123120400_journal_checkpoints
-- AlterTable
ALTER TABLE "connection" ADD COLUMN     "draining_since" TIMESTAMPTZ(3),
ADD COLUMN     "suspended_from" TEXT,
ADD COLUMN     "suspended_from_reason" TEXT;

-- AlterTable
ALTER TABLE "credential" ADD COLUMN     "last_error_at" TIMESTAMPTZ(3),
ADD COLUMN     "last_error_code" TEXT;

-- CreateTable
CREATE TABLE "emergency_stop" (
    "organization_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "target" TEXT NOT NULL,
    "reason" TEXT,
    "stopped_by" TEXT NOT NULL,
    "stopped_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "emergency_stop_pkey" PRIMARY KEY ("organization_id","kind","subject")
);

select stand_under_tenancy('emergency_stop');

create index connection_draining on connection (organization_id) where draining_since is not null;

-- Which tenants have a seller that is removed once its last buy is over: few at any time, found by one look.
create function tenants_with_draining_sellers() returns setof uuid
language sql stable security definer set search_path = public, pg_temp
as $$ select distinct organization_id from public.connection where draining_since is not null $$;
revoke execute on function tenants_with_draining_sellers() from public;
comment on function tenants_with_draining_sellers() is 'for the application';
select assign_lookup_functions();
