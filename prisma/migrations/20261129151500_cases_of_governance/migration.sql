-- AlterTable
ALTER TABLE "webhook_registration" ALTER COLUMN "leg_id" DROP NOT NULL,
ALTER COLUMN "operation_id" DROP NOT NULL;

-- CreateTable
CREATE TABLE "governance_case" (
    "organization_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "connection_id" UUID NOT NULL,
    "owner" TEXT NOT NULL,
    "event_id" UUID NOT NULL,
    "state" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "deadline" TIMESTAMPTZ(3) NOT NULL,
    "uses" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "buys" JSONB NOT NULL DEFAULT '[]',
    "actions" JSONB NOT NULL DEFAULT '[]',
    "next_at" TIMESTAMPTZ(3),
    "begun_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "governance_case_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateIndex
CREATE INDEX "governance_case_organization_id_created_at_id_idx" ON "governance_case"("organization_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "governance_case_organization_id_state_created_at_id_idx" ON "governance_case"("organization_id", "state", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "governance_case_organization_id_event_id_key" ON "governance_case"("organization_id", "event_id");

create unique index webhook_registration_events on webhook_registration (organization_id, connection_id)
  where kind = 'events';
create index governance_case_due on governance_case (organization_id, next_at) where next_at is not null;
create index creative_rights on creative using gin (jsonb_path_query_array(body, '$.**.rights_id') jsonb_path_ops);
select stand_under_tenancy('governance_case');

-- Which tenants have a case that the workers must look at: few at any time, found by one look.
create function tenants_with_due_cases(at timestamptz) returns setof uuid
language sql stable security definer set search_path = public, pg_temp
as $$ select distinct organization_id from public.governance_case where next_at is not null and next_at <= at $$;
revoke execute on function tenants_with_due_cases(timestamptz) from public;
comment on function tenants_with_due_cases(timestamptz) is 'for the application';
comment on table governance_case is 'read before the tenant is known';
select assign_lookup_functions();
