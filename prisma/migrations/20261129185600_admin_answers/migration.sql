-- runs with: 20261129180712_shared_documents
-- CreateTable
CREATE TABLE "admin_answer" (
    "organization_id" UUID NOT NULL,
    "caller" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "route" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "began_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "status" INTEGER,
    "location" TEXT,
    "body" TEXT,
    "is_withheld" BOOLEAN NOT NULL DEFAULT false,
    "keep_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "admin_answer_pkey" PRIMARY KEY ("organization_id","caller","key")
);

-- CreateIndex
CREATE INDEX "admin_answer_organization_id_keep_until_idx" ON "admin_answer"("organization_id", "keep_until");

select stand_under_tenancy('admin_answer');

-- The organizations with answers that were to be kept until this instant.
create function organizations_with_old_answers(until timestamptz)
returns table (organization_id uuid)
language sql stable security definer set search_path = public, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
  with recursive tenant as (
    (select a.organization_id, a.keep_until from public.admin_answer a
     order by a.organization_id, a.keep_until limit 1)
    union all
    select later.* from tenant cross join lateral (
      select a.organization_id, a.keep_until from public.admin_answer a
      where a.organization_id > tenant.organization_id
      order by a.organization_id, a.keep_until limit 1
    ) as later
  )
  select tenant.organization_id from tenant where tenant.keep_until <= until
$$;
revoke execute on function organizations_with_old_answers(timestamptz) from public;
comment on function organizations_with_old_answers(timestamptz) is 'for the application';
comment on table admin_answer is 'read before the tenant is known';
select assign_lookup_functions();
